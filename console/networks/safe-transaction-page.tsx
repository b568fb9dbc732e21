import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ActionButton } from '../design/action-button.tsx';
import { Banner } from '../design/banner.tsx';
import { FieldList, FieldRow } from '../design/field-list.tsx';
import { Address, Copyable, Hash } from '../design/hash.tsx';
import { Columns, Page, Section } from '../design/page.tsx';
import { StateBadge, type Tone } from '../design/state-badge.tsx';
import { formatDuration, Time } from '../design/time.tsx';
import textStyles from '../design/text.module.css';
import styles from './networks.module.css';
import { type SafeTransactionDetail, safeTransactionQuery, safeTransactionsQuery } from './queries.ts';
import { SafeTransactionState } from './safe-transactions.tsx';
import { SignatureFile } from './signature-file.tsx';
import { WalletPanel } from './wallet-panel.tsx';

const route = getRouteApi('/app/networks/transactions/$id');

/** A transaction of a Safe: all that its owners must see before they sign it, and what they sign it with. */
export function SafeTransactionPage() {
  const { id } = route.useParams();
  const { data: transaction } = useSuspenseQuery(safeTransactionQuery(id));
  const isOpen = transaction.state === 'open';
  return (
    <Page
      title={`Transaction ${transaction.nonce} of a Safe on ${transaction.network}`}
      actions={
        isOpen && (
          <ActionButton
            action="networks.withdraw"
            label="Withdraw"
            title="Withdraw this transaction"
            input={{ transaction: id }}
            reason={false}
            tone="quiet"
          />
        )
      }
    >
      <Outcome transaction={transaction} />
      {isOpen && <Alternatives transaction={transaction} />}
      <Section title="What it does" actions={<SafeTransactionState {...transaction} />}>
        <Contents transaction={transaction} />
      </Section>
      {isOpen && (
        <Section title="Compared with the settings and the chain">
          <Checks transaction={transaction} />
        </Section>
      )}
      <Columns>
        <Section title={signaturesTitle(transaction)}>
          <Signatures transaction={transaction} />
        </Section>
        {isOpen && (
          <Section title="Without a browser wallet">
            <Files transaction={transaction} />
          </Section>
        )}
      </Columns>
    </Page>
  );
}

function Outcome({ transaction }: { transaction: SafeTransactionDetail }) {
  const { chain, currency, state, isReady, readyAt, executionHash, isChainRead, isUnconfirmed, change } = transaction;
  const again = { chain, currency, ...change };
  return (
    <>
      {!isChainRead && (
        <Banner tone="attention" title="No endpoint of this network answers in time.">
          What became of this transaction is shown as it was known before.
        </Banner>
      )}
      {state === 'open' && isUnconfirmed && (
        <Banner tone="info" title="The Safe has used this nonce, in a block that does not count yet." />
      )}
      {state === 'scheduled' && (
        <Banner
          tone={isReady ? 'attention' : 'info'}
          title={isReady ? 'The timelock’s delay is over.' : 'The Safe has scheduled it: it waits in the timelock.'}
          actions={isReady && <ActionButton action="networks.prepare" label="Prepare carrying it out" input={again} tone="primary" />}
        >
          {isReady
            ? 'The change is made by one more transaction of the Safe.'
            : readyAt && (
                <>
                  It can be carried out from <Time at={readyAt} show="both" /> on.
                </>
              )}
        </Banner>
      )}
      {state === 'replaced' && (
        <Banner tone="attention" title="Another transaction of the Safe has used this nonce: this one can never be executed." />
      )}
      {executionHash && (
        <Banner tone="positive" title={state === 'executed' ? 'Executed.' : 'The Safe’s transaction is executed.'}>
          <Hash value={executionHash} chain={chain} full />
        </Banner>
      )}
    </>
  );
}

/** Of several transactions with one nonce, the chain takes one. */
function Alternatives({ transaction }: { transaction: SafeTransactionDetail }) {
  const { data } = useInfiniteQuery(safeTransactionsQuery('open'));
  const others = (data?.pages.flatMap(({ transactions }) => transactions) ?? []).filter(
    ({ id, safe, chain, nonce, state }) =>
      id !== transaction.id && state === 'open' && safe === transaction.safe && chain === transaction.chain && nonce === transaction.nonce,
  );
  if (others.length === 0) return null;
  return (
    <Banner tone="attention" title="The Safe executes only one of the transactions with this nonce. The others:">
      <ul>
        {others.map(({ id, summary }) => (
          <li key={id}>
            <Link to="/networks/transactions/$id" params={{ id }}>
              {summary}
            </Link>
          </li>
        ))}
      </ul>
    </Banner>
  );
}

function Contents({ transaction }: { transaction: SafeTransactionDetail }) {
  const { chain, chainId, network, safe, token, symbol, to, data, nonce, hash, summary, reason, preparedAt, preparedBy, timelock } =
    transaction;
  return (
    <div className={styles.stack}>
      <p className={styles.sentence}>{summary}</p>
      <FieldList>
        <FieldRow name="Network">
          {network}, chain id {chainId}
        </FieldRow>
        <FieldRow name="Safe">
          <Address value={safe} chain={chain} full />
        </FieldRow>
        <FieldRow name={`Token ${symbol}`}>
          <Address value={token} chain={chain} full />
        </FieldRow>
        {timelock && (
          <FieldRow name="Timelock">
            <Address value={timelock.address} chain={chain} full />
            <span className={textStyles.note}>
              {timelock.step === 'schedule'
                ? `waits for ${formatDuration((timelock.delaySeconds ?? 0) * 1000)} there`
                : 'carries out what has waited there'}
            </span>
          </FieldRow>
        )}
        <FieldRow name="Called contract">
          <Address value={to} chain={chain} full />
        </FieldRow>
        <FieldRow name="Calldata">
          <code className={styles.data}>{data}</code>
        </FieldRow>
        <FieldRow name="Coins sent">none; no delegate call, no refund of gas</FieldRow>
        <FieldRow name="Nonce">{nonce}</FieldRow>
        <FieldRow name="safeTxHash">
          <Copyable value={hash} />
          <span className={textStyles.note}>What wallets sign (EIP-712). Every owner’s wallet must show the same fields.</span>
        </FieldRow>
        <FieldRow name="Reason">{reason}</FieldRow>
        <FieldRow name="Prepared">
          by {preparedBy}, <Time at={preparedAt} show="both" />
        </FieldRow>
      </FieldList>
    </div>
  );
}

const levels: Record<SafeTransactionDetail['checks'][number]['level'], [Tone, string]> = {
  ok: ['positive', 'right'],
  warning: ['attention', 'look'],
  failure: ['negative', 'wrong'],
  unknown: ['waiting', 'not known'],
};

function Checks({ transaction: { checks } }: { transaction: SafeTransactionDetail }) {
  return (
    <ul className={styles.checks}>
      {checks.map(({ check, level, detail, remedy }) => (
        <li key={check} className={styles.check}>
          <StateBadge state={level} tone={levels[level][0]}>
            {levels[level][1]}
          </StateBadge>
          <span className={styles.checkName}>{check}</span>
          <span className={styles.detail}>
            {detail}
            {remedy !== null && <span className={textStyles.note}>{remedy}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

function signaturesTitle({ signedBy, threshold, owners }: SafeTransactionDetail): string {
  return threshold === null
    ? `Signatures · ${signedBy.length}`
    : `Signatures · ${signedBy.length} of the ${threshold} needed, ${owners.length} owners`;
}

function Signatures({ transaction }: { transaction: SafeTransactionDetail }) {
  const { owners, signedBy, chain, state } = transaction;
  const addresses = owners.length > 0 ? owners.map(({ address }) => address) : signedBy.map(({ signer }) => signer);
  return (
    <div className={styles.stack}>
      <ul className={styles.owners}>
        {addresses.map((address) => {
          const signature = signedBy.find(({ signer }) => signer === address);
          return (
            <li key={address} className={styles.owner}>
              <StateBadge state={signature ? 'done' : 'waiting'}>{signature ? 'signed' : 'not yet'}</StateBadge>
              <Address value={address} chain={chain} full />
              {signature && (
                <span className={textStyles.soft}>
                  <Time at={signature.addedAt} />, brought by {signature.addedBy}
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {state === 'open' && <WalletPanel transaction={transaction} />}
    </div>
  );
}

function Files({ transaction: { id, nonce, execution } }: { transaction: SafeTransactionDetail }) {
  const file = `proposal-${nonce}.json`;
  return (
    <div className={styles.stack}>
      <p>
        <a href={`/api/networks/safe-transactions/${id}/proposal`} download={file}>
          Download {file}
        </a>{' '}
        with the signatures so far. An owner whose key is in a keystore or a key service signs it, and anybody who pays sends it:
      </p>
      <code className={styles.command}>mintrail token sign {file} --signer REFERENCE</code>
      <code className={styles.command}>mintrail token execute {file} --signer REFERENCE</code>
      {!execution && <p className={textStyles.soft}>It can be sent once enough owners have signed.</p>}
      <SignatureFile transaction={id} />
      <p>
        For Safe’s own application:{' '}
        <a href={`/api/networks/safe-transactions/${id}/safe-batch`} download={`safe-batch-${nonce}.json`}>
          download a file for its Transaction Builder
        </a>
        . What it shows must be this call, every digit of it.
      </p>
    </div>
  );
}
