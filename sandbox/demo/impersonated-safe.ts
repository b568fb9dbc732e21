import {
  type Address,
  concat,
  createTestClient,
  encodeFunctionData,
  getAddress,
  hashMessage,
  hashTypedData,
  type Hex,
  http,
  pad,
  parseAbi,
  parseEther,
  publicActions,
  walletActions,
  zeroAddress,
} from 'viem';
import { type Chain, chainIds } from '../../src/platform/chains.ts';
import { StopError } from '../../src/platform/errors.ts';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';
import { type SafeWallet, signMessageLib } from './safe-wallet.ts';

const safeAbi = parseAbi([
  'function getOwners() view returns (address[])',
  'function getThreshold() view returns (uint256)',
  'function nonce() view returns (uint256)',
  'function VERSION() view returns (string)',
  'function approveHash(bytes32 hash)',
  'function getTransactionHash(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, uint256 nonce) view returns (bytes32)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool)',
]);

/** Gas money of an impersonated owner. */
const gasMoney = parseEther('1');

/**
 * Opens a Safe of the live network on its fork, where its owners are impersonated: as many as the threshold asks for approve each hash by a transaction,
 * which counts as their signature. Safes from 1.3.0 on are supported. Throws `not_found`.
 */
export async function openImpersonatedSafe(file: SandboxFile, chain: Chain, address: Address): Promise<SafeWallet> {
  const url = file.chains[chain]?.rpcUrl;
  const client = createTestClient({ mode: 'anvil', transport: http(url, { timeout: 60_000 }), pollingInterval: 100 })
    .extend(publicActions)
    .extend(walletActions);
  const safe = { address, abi: safeAbi } as const;
  const [owners, threshold] = await Promise.all([
    client.readContract({ ...safe, functionName: 'getOwners' }),
    client.readContract({ ...safe, functionName: 'getThreshold' }),
    client.readContract({ ...safe, functionName: 'VERSION' }),
  ]).catch((cause: unknown) => {
    throw new StopError({ code: 'not_found', message: `${address} is no Safe on the fork of ${chain}: name one with --safe`, cause });
  });
  const signers = owners.slice(0, Number(threshold)).toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  const [payer] = signers as [Address];

  const sendAs = async (account: Address, to: Address, data: Hex): Promise<Hex> => {
    await client.impersonateAccount({ address: account });
    try {
      if ((await client.getBalance({ address: account })) < gasMoney) await client.setBalance({ address: account, value: gasMoney });
      const hash = await client.sendTransaction({ account, to, data, chain: null });
      const { status } = await client.waitForTransactionReceipt({ hash, timeout: 60_000 });
      if (status !== 'success') throw new StopError({ code: 'refused_by_contract', message: `The Safe ${address} reverted ${hash}` });
      return hash;
    } finally {
      await client.stopImpersonatingAccount({ address: account });
    }
  };
  const approveAsOwners = async (hash: Hex): Promise<Hex> => {
    for (const owner of signers)
      await sendAs(owner, address, encodeFunctionData({ abi: safeAbi, functionName: 'approveHash', args: [hash] }));
    // Safe's form of an owner's approval on chain: the owner, nothing, and a recovery id of 1.
    return concat(signers.map((owner) => concat([pad(owner), pad('0x0'), '0x01'])));
  };

  return {
    address: getAddress(address),
    sign: (text) =>
      approveAsOwners(
        hashTypedData({
          domain: { chainId: chainIds[chain], verifyingContract: address },
          types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
          primaryType: 'SafeMessage',
          message: { message: hashMessage(text) },
        }),
      ),
    async approve(text) {
      const signMessage = parseAbi(['function signMessage(bytes data)']);
      const data = encodeFunctionData({ abi: signMessage, functionName: 'signMessage', args: [hashMessage(text)] });
      const nonce = await client.readContract({ ...safe, functionName: 'nonce' });
      // 1 is a delegate call: the library writes to the Safe's own storage.
      const transaction = [signMessageLib, 0n, data, 1, 0n, 0n, 0n, zeroAddress, zeroAddress] as const;
      const hash = await client.readContract({ ...safe, functionName: 'getTransactionHash', args: [...transaction, nonce] });
      const signatures = await approveAsOwners(hash);
      const call = encodeFunctionData({ abi: safeAbi, functionName: 'execTransaction', args: [...transaction, signatures] });
      return sendAs(payer, address, call);
    },
  };
}
