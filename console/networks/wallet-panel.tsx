import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { carryOut } from '../api/actions.ts';
import { ApiError } from '../api/api-error.ts';
import { refetchTopics } from '../api/query-client.ts';
import { useSession } from '../api/session-context.ts';
import { Banner } from '../design/banner.tsx';
import { Button } from '../design/button.tsx';
import { Address, Hash } from '../design/hash.tsx';
import textStyles from '../design/text.module.css';
import styles from './networks.module.css';
import type { SafeTransactionDetail } from './queries.ts';
import { requestAccounts, sendCall, signTypedData, useWallets, type Wallet, walletError } from './wallet.ts';

interface Connection {
  wallet: Wallet;
  account: string;
}

/** Signs and executes a transaction of a Safe with a wallet of the browser. */
export function WalletPanel({ transaction }: { transaction: SafeTransactionDetail }) {
  const wallets = useWallets();
  const { actions } = useSession();
  const [connection, setConnection] = useState<Connection>();
  const connect = useMutation({
    mutationFn: async (wallet: Wallet) => {
      const [account] = await requestAccounts(wallet);
      if (account === undefined) throw new Error('The wallet shows no account to this page.');
      return { wallet, account };
    },
    onSuccess: setConnection,
  });
  if (!actions.includes('networks.sign')) return <p className={textStyles.soft}>Administrators bring the signatures of owners.</p>;
  if (wallets.length === 0)
    return <p className={textStyles.soft}>This browser has no wallet. Owners also sign with a file, or in Safe’s own application.</p>;
  return (
    <div className={styles.stack}>
      {!connection && (
        <div className={styles.buttons}>
          {wallets.map((wallet) => (
            <Button key={wallet.id} onClick={() => connect.mutate(wallet)} disabled={connect.isPending}>
              Connect {wallet.name}
            </Button>
          ))}
        </div>
      )}
      {connect.error && <Banner tone="negative" title={walletError(connect.error)} />}
      {connection && <Connected connection={connection} transaction={transaction} onDisconnect={() => setConnection(undefined)} />}
    </div>
  );
}

function Connected({
  connection: { wallet, account },
  transaction,
  onDisconnect,
}: {
  connection: Connection;
  transaction: SafeTransactionDetail;
  onDisconnect: () => void;
}) {
  const { id, chainId, chain, typedData, execution, owners, checks } = transaction;
  const owner = owners.find(({ address }) => address.toLowerCase() === account.toLowerCase());
  const isSound = checks.every(({ level }) => level === 'ok');
  const sign = useMutation({
    mutationFn: async () => {
      const data = await signTypedData(wallet, account, chainId, typedData);
      await carryOut('networks.sign', { transaction: id, signatures: [{ signer: account, data }] });
    },
    onSuccess: async () => refetchTopics(['networks']),
  });
  const execute = useMutation({
    mutationFn: async () => {
      if (!execution) throw new Error('Not enough owners have signed.');
      return sendCall(wallet, account, chainId, execution);
    },
  });
  return (
    <div className={styles.stack}>
      <div className={styles.owner}>
        <span>{wallet.name} with</span>
        <Address value={account} chain={chain} full />
        <Button tone="quiet" onClick={onDisconnect}>
          Change
        </Button>
      </div>
      {!owner && <Banner tone="attention" title="This account is no owner of the Safe: it can pay for the execution, and not sign." />}
      {!isSound && <Banner tone="negative" title="Not every check is right: nothing should be signed or sent." />}
      <div className={styles.buttons}>
        {owner && !owner.hasSigned && (
          <Button tone="primary" onClick={() => sign.mutate()} disabled={sign.isPending || !isSound}>
            {sign.isPending ? 'Look into your wallet…' : 'Sign with the wallet'}
          </Button>
        )}
        {execution && (
          <Button
            tone={owner && !owner.hasSigned ? 'plain' : 'primary'}
            onClick={() => execute.mutate()}
            disabled={execute.isPending || execute.isSuccess || !isSound}
          >
            {execute.isPending ? 'Look into your wallet…' : 'Execute with the wallet'}
          </Button>
        )}
      </div>
      {[sign.error, execute.error].map((error) => error && <Banner key={error.message} tone="negative" title={messageOf(error)} />)}
      {execute.data && (
        <Banner tone="info" title="Sent. This page shows when it is mined and counts.">
          <Hash value={execute.data} chain={chain} full />
        </Banner>
      )}
    </div>
  );
}

function messageOf(error: Error): string {
  return error instanceof ApiError ? error.message : walletError(error);
}
