import { type Address, formatGwei } from 'viem';
import { chainFacts } from '../../platform/chains.ts';
import { RetryError } from '../../platform/errors.ts';
import type { Currency } from '../../platform/money.ts';
import { type NetworkSettings, networkVariable } from '../../platform/settings.ts';
import { createRpc, type Rpc } from '../endpoints/rpc.ts';
import { feeCeiling, unprovenTip } from '../fee-policy.ts';
import { readFeeMarket } from '../fees.ts';
import type { Signer } from '../signers/signer.ts';
import { type Endpoint, probeEndpoint } from './endpoint.ts';
import { type CheckResult, failure, type Finding, ok, runCheck, warning } from './finding.ts';
import { probeBalance, probeRoles } from './signer.ts';
import { probeToken } from './token.ts';

/** Opens a signer. It may have to connect to a service. */
export type OpenSigner = () => Promise<Signer>;

/** Checks everything a network needs: its endpoints, its fees, its tokens, its signers. Never throws. */
export async function probeNetwork(network: NetworkSettings, signers: readonly OpenSigner[]): Promise<Finding[]> {
  const { chain, rpcUrls, blockTimeSeconds } = network;
  const probed = await Promise.all(rpcUrls.map((url, index) => probeEndpoint(network, url, index + 1)));
  const findings = probed.flatMap(({ findings }) => findings);
  if (rpcUrls.length === 0)
    findings.push({
      subject: 'rpc',
      check: 'reachable',
      level: 'failure',
      detail: 'no endpoint is set',
      remedy: `set ${networkVariable(chain, 'rpcUrls')}`,
    });
  const endpoints = probed.flatMap(({ endpoint }) => endpoint ?? []);
  findings.push(...(await compareEndpoints(endpoints, blockTimeSeconds)));
  const rpc = rpcOf(network, probed);
  if (rpc) findings.push(await probeFees(rpc, network));
  const tokens = Object.entries(network.tokens) as [Currency, Address][];
  const sound: typeof tokens = [];
  for (const [currency, token] of tokens) {
    const tokenFindings = rpc
      ? await probeToken(rpc, { chain: network.chain, currency, address: token })
      : [await unreachable(`token ${currency} ${token}`)];
    findings.push(...tokenFindings);
    if (tokenFindings.every(({ level }) => level === 'ok' || level === 'warning')) sound.push([currency, token]);
  }
  findings.push(...(await probeSigners(rpc, network, signers, sound)));
  return findings;
}

async function probeSigners(
  rpc: Rpc | undefined,
  { chain }: NetworkSettings,
  signers: readonly OpenSigner[],
  tokens: readonly [Currency, Address][],
): Promise<Finding[]> {
  const variable = networkVariable(chain, 'signers');
  if (signers.length === 0) {
    const finding = { subject: 'signers', check: 'key', level: 'warning', detail: 'no signer is set here' } as const;
    return [{ ...finding, remedy: `only the worker needs ${variable}: run this check where it is set` }];
  }
  const findings: Finding[] = [];
  for (const [index, open] of signers.entries()) {
    let address: Address | undefined;
    const key = await runCheck(`signer ${index + 1}`, 'key', async () => {
      const signer = await open();
      address = signer.address;
      return ok(`${signer.address}, ${signer.kind}`);
    });
    findings.push(key);
    if (address === undefined) continue;
    const subject = `signer ${address}`;
    if (!rpc) findings.push(await unreachable(subject));
    else {
      findings.push(await probeBalance(rpc, chain, subject, address));
      for (const [currency, token] of tokens)
        findings.push(...(await probeRoles(rpc, subject, address, { chain, currency, address: token })));
    }
  }
  return findings;
}

/** A client over the endpoints that serve the right chain; undefined when there is none. */
function rpcOf(network: NetworkSettings, probed: readonly { endpoint?: Endpoint }[]): Rpc | undefined {
  const urls = network.rpcUrls.filter((_, index) => probed[index]?.endpoint);
  return urls.length > 0 ? createRpc({ ...network, rpcUrls: urls }) : undefined;
}

function unreachable(subject: string): Promise<Finding> {
  return runCheck(subject, 'reachable', () => {
    throw new RetryError({ code: 'rpc_unreachable', message: 'no endpoint of this chain answers' });
  });
}

/** This many blocks below their heads, correct nodes of one chain have the same block. */
const settledDepth = 64n;

/** Checks that all endpoints serve the chain of the first: several chains may share an id, and a node may be on a fork. */
async function compareEndpoints(endpoints: readonly Endpoint[], blockTimeSeconds: number): Promise<Finding[]> {
  const [first, ...others] = endpoints;
  if (!first) return [];
  const lowest = endpoints.reduce((low, { head }) => (head < low ? head : low), first.head);
  const common = lowest > settledDepth ? lowest - settledDepth : 0n;
  const highest = endpoints.reduce((high, { head }) => (head > high ? head : high), first.head);
  return Promise.all(
    others.map((other) => runCheck(other.subject, 'same chain', () => compare(first, other, { common, highest, blockTimeSeconds }))),
  );
}

interface Comparison {
  /** A block that all nodes should have. */
  common: bigint;
  /** The highest head of all. */
  highest: bigint;
  blockTimeSeconds: number;
}

async function compare(first: Endpoint, other: Endpoint, { common, highest, blockTimeSeconds }: Comparison): Promise<CheckResult> {
  for (const number of new Set([0n, common])) {
    const [mine, theirs] = await Promise.all([first, other].map(({ rpc }) => rpc.getBlock({ blockNumber: number })));
    if (mine?.hash === theirs?.hash) continue;
    return failure(`its block ${number} is not that of ${first.subject}`, 'remove the endpoint that is not of this chain');
  }
  const behind = highest - other.head;
  const tolerated = BigInt(Math.max(5, Math.ceil(60 / blockTimeSeconds)));
  if (behind > tolerated) return warning(`the same, ${behind} blocks behind`, 'a node that lags returns old data: use another');
  return ok(`the same as ${first.subject}`);
}

/** A price may rise this many times above the present one before nothing is sent. Less than this is a warning. */
const comfortableFactor = 5n;

/** Checks that gas may cost what it costs now, and clearly more. Never throws. */
function probeFees(rpc: Rpc, network: NetworkSettings): Promise<Finding> {
  const { chain, feeCeilingGwei, transactionFeeCeiling } = network;
  return runCheck('fees', 'ceiling', async () => {
    const { baseFeePerGas, tipPerGas } = await readFeeMarket(rpc, unprovenTip(network));
    const price = baseFeePerGas + tipPerGas;
    const ceiling = feeCeiling(network, 1n);
    const { symbol } = chainFacts(chain).currency;
    const limits = `the ceiling is ${feeCeilingGwei} gwei, and ${transactionFeeCeiling} ${symbol} for a transaction`;
    const text = `a gas costs ${formatGwei(price)} gwei now; ${limits}`;
    const remedy = `raise ${networkVariable(chain, 'feeCeilingGwei')}`;
    if (baseFeePerGas > ceiling) return failure(`${text}: nothing is sent`, `${remedy}, or wait until the price falls`);
    return price * comfortableFactor > ceiling ? warning(text, remedy) : ok(text);
  });
}
