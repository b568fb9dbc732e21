import Safe from '@safe-global/protocol-kit';
import { createWalletClient, encodeFunctionData, hashMessage, type Hex, http, parseAbi, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';

/** A Safe on a chain of the sandbox. */
export interface SafeWallet {
  address: Hex;
  /** Signs a text by as many owners as the Safe asks for. */
  sign(text: string): Promise<Hex>;
  /** Signs a text on chain, by a transaction of the Safe. Returns its hash. */
  approve(text: string): Promise<Hex>;
}

/** The canonical SignMessageLib of Safe 1.4.1, at this address on every chain. */
export const signMessageLib = '0xd53cd0aB83D845Ac265BE939c57F53AD838012c9';

/** Opens the Safe of these owners, and deploys it unless an earlier demo did. The first owner pays. */
export async function openSafe(file: SandboxFile, chain: string, owners: SandboxFile['accounts']): Promise<SafeWallet> {
  const provider = file.chains[chain]?.rpcUrl as string;
  const signers = owners.slice(0, 2).map(({ privateKey }) => privateKey);
  const safeAccountConfig = { owners: owners.map(({ address }) => address), threshold: 2 };
  const predicted = await Safe.init({
    provider,
    signer: signers[0] as string,
    predictedSafe: { safeAccountConfig, safeDeploymentConfig: { safeVersion: '1.4.1' } },
  });
  const safeAddress = await predicted.getAddress();
  if (!(await predicted.isSafeDeployed())) {
    const { to, data } = await predicted.createSafeDeploymentTransaction();
    const payer = createWalletClient({ transport: http(provider), account: privateKeyToAccount(signers[0] as Hex) }).extend(publicActions);
    await payer.waitForTransactionReceipt({ hash: await payer.sendTransaction({ to: to as Hex, data: data as Hex, chain: null }) });
  }
  const kits = await Promise.all(signers.map((signer) => Safe.init({ provider, signer, safeAddress })));
  const [first] = kits as [Safe, Safe];
  return {
    address: safeAddress as Hex,
    async sign(text) {
      let message = first.createMessage(text);
      for (const kit of kits) message = await kit.signMessage(message);
      return message.encodedSignatures() as Hex;
    },
    async approve(text) {
      const data = encodeFunctionData({
        abi: parseAbi(['function signMessage(bytes data)']),
        functionName: 'signMessage',
        args: [hashMessage(text)],
      });
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- 1 is a delegate call; protocol-kit does not export the enumeration
      let transaction = await first.createTransaction({ transactions: [{ to: signMessageLib, value: '0', data, operation: 1 }] });
      for (const kit of kits) transaction = await kit.signTransaction(transaction);
      return (await first.executeTransaction(transaction)).hash as Hex;
    },
  };
}
