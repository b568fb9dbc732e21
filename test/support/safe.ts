import Safe, { type ContractNetworksConfig } from '@safe-global/protocol-kit';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  type Address,
  concat,
  domainSeparator,
  encodeFunctionData,
  getContractAddress,
  hashMessage,
  hashStruct,
  hashTypedData,
  type Hex,
  pad,
  parseAbi,
  size,
  toHex,
} from 'viem';
import { type LocalAccount, type LocalChain, transact } from './local-chain.ts';

export type SafeVersion = '1.4.1' | '1.5.0';
export type SafeSuite = {
  version: SafeVersion;
  url: string;
  chainId: number;
  addresses: Record<ContractName, Address>;
  contractNetworks: ContractNetworksConfig;
};

type ContractName = keyof typeof ARTIFACTS;

const ARTIFACTS = {
  Safe: 'Safe.sol',
  SafeL2: 'SafeL2.sol',
  SafeProxyFactory: 'proxies/SafeProxyFactory.sol',
  CompatibilityFallbackHandler: 'handler/CompatibilityFallbackHandler.sol',
  MultiSend: 'libraries/MultiSend.sol',
  MultiSendCallOnly: 'libraries/MultiSendCallOnly.sol',
  SignMessageLib: 'libraries/SignMessageLib.sol',
  CreateCall: 'libraries/CreateCall.sol',
  SimulateTxAccessor: 'accessors/SimulateTxAccessor.sol',
} as const;

const PACKAGES: Record<SafeVersion, string> = { '1.4.1': '@safe-global/safe-contracts', '1.5.0': '@safe-global/safe-smart-account' };

// The factory through which every canonical Safe contract was deployed: with it here they land on their canonical addresses.
const SINGLETON_FACTORY: Address = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';
const SINGLETON_FACTORY_CODE: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';
const SALT: Hex = toHex(0, { size: 32 });

const require = createRequire(import.meta.url);

/** Deploys one version of the Safe contracts on a local chain, at the addresses they have everywhere. */
export async function deploySafeSuite(chain: LocalChain, url: string, version: SafeVersion): Promise<SafeSuite> {
  await chain.setCode({ address: SINGLETON_FACTORY, bytecode: SINGLETON_FACTORY_CODE });
  const entries: [string, Address][] = [];
  for (const name of Object.keys(ARTIFACTS) as ContractName[])
    entries.push([name, await deployCanonical(chain, creationCode(version, name))]);
  const addresses = Object.fromEntries(entries) as Record<ContractName, Address>;
  const contractNetworks: ContractNetworksConfig = {
    [String(chain.chain.id)]: {
      safeSingletonAddress: addresses.SafeL2,
      safeProxyFactoryAddress: addresses.SafeProxyFactory,
      multiSendAddress: addresses.MultiSend,
      multiSendCallOnlyAddress: addresses.MultiSendCallOnly,
      fallbackHandlerAddress: addresses.CompatibilityFallbackHandler,
      signMessageLibAddress: addresses.SignMessageLib,
      createCallAddress: addresses.CreateCall,
      simulateTxAccessorAddress: addresses.SimulateTxAccessor,
    },
  };
  return { version, url, chainId: chain.chain.id, addresses, contractNetworks };
}

export type SafeOptions = { owners: readonly Address[]; threshold: number; saltNonce?: number };

/** Creates a Safe and returns its address. */
export async function createSafe(chain: LocalChain, suite: SafeSuite, { owners, threshold, saltNonce = 1 }: SafeOptions): Promise<Address> {
  const kit = await Safe.init({
    provider: suite.url,
    contractNetworks: suite.contractNetworks,
    predictedSafe: {
      safeAccountConfig: { owners: [...owners], threshold },
      safeDeploymentConfig: { safeVersion: suite.version, saltNonce: String(saltNonce) },
    },
  });
  const { to, data } = await kit.createSafeDeploymentTransaction();
  await transact(chain, { to: to as Address, data: data as Hex });
  return (await kit.getAddress()) as Address;
}

/** The owners' signatures of a text, as a Safe's ERC-1271 takes them. */
export async function signWithSafe(suite: SafeSuite, safe: Address, owners: readonly LocalAccount[], text: string): Promise<Hex> {
  const kits = await Promise.all(owners.map((owner) => safeKit(suite, safe, owner)));
  let message = kits[0]?.createMessage(text);
  for (const kit of kits) message = message && (await kit.signMessage(message));
  return (message?.encodedSignatures() ?? '0x') as Hex;
}

/** Has a Safe approve a text on chain, after which the empty signature is valid for it. */
export async function approveWithSafe(
  chain: LocalChain,
  suite: SafeSuite,
  safe: Address,
  owners: readonly LocalAccount[],
  text: string,
): Promise<void> {
  const kits = await Promise.all(owners.map((owner) => safeKit(suite, safe, owner)));
  const [first] = kits;
  if (!first) throw new Error('A Safe approves by its owners');
  const data = encodeFunctionData({
    abi: parseAbi(['function signMessage(bytes data)']),
    functionName: 'signMessage',
    args: [hashMessage(text)],
  });
  const delegateCall = { to: suite.addresses.SignMessageLib, value: '0', data, operation: 1 };
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- protocol-kit does not export the enum
  let transaction = await first.createTransaction({ transactions: [delegateCall] });
  for (const kit of kits) transaction = await kit.signTransaction(transaction);
  await transact(chain, { to: safe, data: (await first.getEncodedTransaction(transaction)) as Hex });
}

/** The signature of a text by a Safe whose only needed owner is another Safe: the owners of the inner one sign for it. */
export async function signWithNestedSafe(
  suite: SafeSuite,
  outer: Address,
  inner: Address,
  innerOwners: readonly LocalAccount[],
  text: string,
): Promise<Hex> {
  const outerMessage = safeMessage(suite, outer, hashMessage(text));
  // Up to 1.4.1 a Safe asks its owner about the bytes behind its hash, from 1.5.0 on about the hash.
  const asked = suite.version === '1.4.1' ? preimage(outerMessage) : hashTypedData(outerMessage);
  const innerMessage = safeMessage(suite, inner, asked);
  const sorted = innerOwners.toSorted((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
  const signatures = concat(await Promise.all(sorted.map((owner) => owner.signTypedData(innerMessage))));
  const offset = toHex(65, { size: 32 });
  const contractSignature = '0x00';
  return concat([pad(inner), offset, contractSignature, toHex(size(signatures), { size: 32 }), signatures]);
}

async function deployCanonical(chain: LocalChain, bytecode: Hex): Promise<Address> {
  const address = getContractAddress({ opcode: 'CREATE2', from: SINGLETON_FACTORY, salt: SALT, bytecode });
  if (!(await chain.getCode({ address })))
    await transact(chain, { to: SINGLETON_FACTORY, data: concat([SALT, bytecode]), gas: 8_000_000n });
  if (!(await chain.getCode({ address }))) throw new Error(`Nothing was deployed at ${address}`);
  return address;
}

function creationCode(version: SafeVersion, name: ContractName): Hex {
  const root = path.dirname(require.resolve(`${PACKAGES[version]}/package.json`));
  const artifact: unknown = JSON.parse(readFileSync(path.join(root, 'build/artifacts/contracts', ARTIFACTS[name], `${name}.json`), 'utf8'));
  return (artifact as { bytecode: Hex }).bytecode;
}

function safeKit(suite: SafeSuite, safeAddress: Address, owner: LocalAccount) {
  return Safe.init({ provider: suite.url, signer: owner.privateKey, safeAddress, contractNetworks: suite.contractNetworks });
}

function safeMessage({ chainId }: SafeSuite, safe: Address, message: Hex) {
  return {
    domain: { chainId, verifyingContract: safe },
    types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'SafeMessage',
    message: { message },
  } as const;
}

function preimage({ domain, ...struct }: ReturnType<typeof safeMessage>): Hex {
  return concat(['0x1901', domainSeparator({ domain }), hashStruct({ ...struct, data: struct.message })]);
}
