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

export const safeVersions = ['1.3.0', '1.4.1', '1.5.0'] as const;
export type SafeVersion = (typeof safeVersions)[number];
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

/** Artifacts whose names or paths are different in version 1.3.0. */
const ARTIFACTS_1_3_0: Partial<Record<ContractName, string>> = {
  Safe: 'GnosisSafe.sol/GnosisSafe',
  SafeL2: 'GnosisSafeL2.sol/GnosisSafeL2',
  SafeProxyFactory: 'proxies/GnosisSafeProxyFactory.sol/GnosisSafeProxyFactory',
  SignMessageLib: 'examples/libraries/SignMessage.sol/SignMessageLib',
};

const PACKAGES: Record<SafeVersion, string> = {
  '1.3.0': '@gnosis.pm/safe-contracts',
  '1.4.1': '@safe-global/safe-contracts',
  '1.5.0': '@safe-global/safe-smart-account',
};

// The factory through which every canonical Safe contract was deployed: with it here they land on their canonical addresses.
const SINGLETON_FACTORY: Address = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7';
const SINGLETON_FACTORY_CODE: Hex =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';
const SALT: Hex = toHex(0, { size: 32 });

const require = createRequire(import.meta.url);

/** Deploys one version of the Safe contracts on a local chain, at their canonical addresses. */
export async function deploySafeSuite(chain: LocalChain, url: string, version: SafeVersion): Promise<SafeSuite> {
  await chain.setCode({ address: SINGLETON_FACTORY, bytecode: SINGLETON_FACTORY_CODE });
  const entries: [string, Address][] = [];
  for (const name of Object.keys(ARTIFACTS) as ContractName[])
    entries.push([name, await deployCanonical(chain, creationCode(version, name))]);
  const addresses = Object.fromEntries(entries) as Record<ContractName, Address>;
  const contracts = {
    safeSingletonAddress: addresses.SafeL2,
    safeProxyFactoryAddress: addresses.SafeProxyFactory,
    multiSendAddress: addresses.MultiSend,
    multiSendCallOnlyAddress: addresses.MultiSendCallOnly,
    fallbackHandlerAddress: addresses.CompatibilityFallbackHandler,
    signMessageLibAddress: addresses.SignMessageLib,
    createCallAddress: addresses.CreateCall,
    simulateTxAccessorAddress: addresses.SimulateTxAccessor,
    // protocol-kit keeps its contracts for the life of the process by this record, with the node of whoever asked first: each chain's are its own.
    url,
  };
  return { version, url, chainId: chain.chain.id, addresses, contractNetworks: { [String(chain.chain.id)]: contracts } };
}

export type SafeOptions = { owners: readonly Address[]; threshold: number; saltNonce?: number };

/** Creates a Safe and returns its address. */
export async function createSafe(chain: LocalChain, suite: SafeSuite, options: SafeOptions): Promise<Address> {
  const { address, factory, deployment } = await predictSafe(suite, options);
  await transact(chain, { to: factory, data: deployment });
  return address;
}

/** A Safe that is not deployed yet: its future address, and the call that deploys it. */
export type PredictedSafe = { address: Address; factory: Address; deployment: Hex };

export async function predictSafe(suite: SafeSuite, { owners, threshold, saltNonce = 1 }: SafeOptions): Promise<PredictedSafe> {
  const kit = await Safe.init({
    provider: suite.url,
    contractNetworks: suite.contractNetworks,
    predictedSafe: {
      safeAccountConfig: { owners: [...owners], threshold },
      safeDeploymentConfig: { safeVersion: suite.version, saltNonce: String(saltNonce) },
    },
  });
  const { to, data } = await kit.createSafeDeploymentTransaction();
  return { address: (await kit.getAddress()) as Address, factory: to as Address, deployment: data as Hex };
}

/** The owners' signatures of a text, as a Safe's ERC-1271 takes them. */
export async function signWithSafe(suite: SafeSuite, safe: Address, owners: readonly LocalAccount[], text: string): Promise<Hex> {
  const kits = await Promise.all(owners.map((owner) => safeKit(suite, safe, owner)));
  let message = kits[0]?.createMessage(text);
  for (const kit of kits) message = message && (await kit.signMessage(message));
  return (message?.encodedSignatures() ?? '0x') as Hex;
}

/** Has a Safe approve a text on chain, after which the empty signature is valid for it. */
export async function approveWithSafe(chain: LocalChain, ...approval: Parameters<typeof safeApproval>): Promise<void> {
  await transact(chain, await safeApproval(...approval));
}

/** The transaction by which a Safe approves a text. */
export async function safeApproval(suite: SafeSuite, safe: Address, owners: readonly LocalAccount[], text: string) {
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
  return { to: safe, data: (await first.getEncodedTransaction(transaction)) as Hex };
}

/** The signature of a text by a Safe whose only needed owner is another Safe: the owners of the inner one sign for it. */
export async function signWithNestedSafe(
  suite: SafeSuite,
  outer: Address,
  inner: Address,
  innerOwners: readonly LocalAccount[],
  text: string,
): Promise<Hex> {
  const signatures = await signSafeMessage(safeMessage(suite, inner, ownerMessage(suite, outer, text)), innerOwners);
  const offset = toHex(65, { size: 32 });
  return concat([pad(inner), offset, '0x00', toHex(size(signatures), { size: 32 }), signatures]);
}

/** The owners' signatures of a Safe's message, without a chain. */
export async function signSafeMessage(message: ReturnType<typeof safeMessage>, owners: readonly LocalAccount[]): Promise<Hex> {
  const sorted = owners.toSorted((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1));
  return concat(await Promise.all(sorted.map((owner) => owner.signTypedData(message))));
}

/** Has a Safe call a contract, with the signatures of its owners; the first pays. */
export async function executeWithSafe(
  chain: LocalChain,
  suite: SafeSuite,
  safe: Address,
  owners: readonly LocalAccount[],
  call: { to: Address; data: Hex },
): Promise<void> {
  const kits = await Promise.all(owners.map((owner) => safeKit(suite, safe, owner)));
  const [first] = kits;
  if (!first) throw new Error('A Safe needs an owner');
  let transaction = await first.createTransaction({ transactions: [{ ...call, value: '0' }] });
  for (const kit of kits) transaction = await kit.signTransaction(transaction);
  const data = (await first.getEncodedTransaction(transaction)) as Hex;
  await transact(chain, { ...(owners[0] ? { from: owners[0] } : {}), to: safe, data });
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
  const place = (version === '1.3.0' && ARTIFACTS_1_3_0[name]) || `${ARTIFACTS[name]}/${name}`;
  const artifact: unknown = JSON.parse(readFileSync(path.join(root, 'build/artifacts/contracts', `${place}.json`), 'utf8'));
  return (artifact as { bytecode: Hex }).bytecode;
}

function safeKit(suite: SafeSuite, safeAddress: Address, owner: LocalAccount) {
  return Safe.init({ provider: suite.url, signer: owner.privateKey, safeAddress, contractNetworks: suite.contractNetworks });
}

/** The typed data that the owners of a Safe sign, so that it confirms `message`. */
export function safeMessage({ chainId }: SafeSuite, safe: Address, message: Hex) {
  return {
    domain: { chainId, verifyingContract: safe },
    types: { SafeMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'SafeMessage',
    message: { message },
  } as const;
}

/**
 * What a Safe lets a contract verify that is one of its owners: version 1.3.0 the hash of the text, 1.4.1 the encoded message that its
 * own hash is made of, 1.5.0 its own hash.
 */
export function ownerMessage(suite: SafeSuite, safe: Address, text: string): Hex {
  if (suite.version === '1.3.0') return hashMessage(text);
  const { domain, ...struct } = safeMessage(suite, safe, hashMessage(text));
  if (suite.version === '1.5.0') return hashTypedData({ domain, ...struct });
  return concat(['0x1901', domainSeparator({ domain }), hashStruct({ ...struct, data: struct.message })]);
}
