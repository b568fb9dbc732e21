import { createPublicClient, hexToBigInt, http, numberToHex, zeroAddress } from 'viem';
import { chainFacts } from '../../platform/chains.ts';
import { type NetworkSettings, networkVariable } from '../../platform/settings.ts';
import { withoutUrlSecrets } from '../../platform/url-secrets.ts';
import type { Rpc } from '../rpc.ts';
import { answerOrRefusal, failure, type Finding, find, ok, type Verdict, warning } from './finding.ts';
import { lentGas } from '../call-gas.ts';
import { probeLogRange } from './log-range.ts';

/** An endpoint that serves the right chain, for comparing it with the others. */
export interface Endpoint {
  subject: string;
  rpc: Rpc;
  head: bigint;
}

/** What a contract account gets to check a signature (500,000), and what the probe around it keeps (700,000), with room. */
const neededGas = 1_500_000n;

/** The same, with an account that must be deployed first (5,000,000). */
const comfortableGas = 7_000_000n;

/** Below this, reading a long history takes too many questions. */
const comfortableRange = 500n;

/** Looks at one endpoint by itself. Never throws: what cannot be told is a finding too. */
export async function probeEndpoint(
  network: NetworkSettings,
  url: string,
  place: number,
): Promise<{ findings: Finding[]; endpoint?: Endpoint }> {
  const chainId = await probeChainId(network, url, place);
  const { subject } = chainId;
  if (chainId.level !== 'ok') return { findings: [chainId] };
  const rpc = connect(url);
  let head = 0n;
  const age = await find(subject, 'head', async () => {
    const block = await rpc.getBlock({ blockTag: 'latest' });
    head = block.number;
    return headAge(network, block.number, Number(block.timestamp));
  });
  if (age.level === 'unknown') return { findings: [chainId, age] };
  const findings = [
    chainId,
    age,
    ...(await probeConfirmed(subject, rpc, network, head)),
    await find(subject, 'history', () => probeHistory(rpc, network, head)),
    await find(subject, 'log range', () => logRange(rpc, network, head)),
    await find(subject, 'archive', () => archive(rpc, network, head)),
  ];
  return { findings, endpoint: { subject, rpc, head } };
}

/** Whether an endpoint is of the network's chain. Never throws. */
export function probeChainId(network: NetworkSettings, url: string, place: number): Promise<Finding> {
  return find(`rpc ${place} ${withoutUrlSecrets(url)}`, 'chain id', async () => {
    if (!url.startsWith('http')) return warning('not asked: only http and https are used', 'give an https endpoint');
    return sameChainId(network, await connect(url).getChainId());
  });
}

function connect(url: string): Rpc {
  return createPublicClient({ transport: http(url, { retryCount: 0, timeout: 15_000 }), cacheTime: 0 });
}

function sameChainId({ chain }: NetworkSettings, found: number): Verdict {
  const { id, name } = chainFacts(chain);
  if (found === id) return ok(String(id));
  return failure(`${found}, but ${name} is ${id}`, `${networkVariable(chain, 'rpcUrls')} names an endpoint of another chain: replace it`);
}

function headAge({ blockTimeSeconds }: NetworkSettings, number: bigint, timestamp: number): Verdict {
  const age = Math.round(Date.now() / 1000 - timestamp);
  const text = `block ${number}, ${age} s old`;
  if (age < -60) return warning(text, 'the clock of this machine, or of the chain, is wrong');
  if (age > Math.max(600, 60 * blockTimeSeconds))
    return failure(text, 'the node does not follow the chain: let it catch up, or use another');
  if (age > Math.max(60, 12 * blockTimeSeconds)) return warning(text, 'the node lags, or the chain stands still: look again');
  return ok(text);
}

/** The block up to which outcomes count, and whether calls can be made at it: signatures on chain are looked for there. */
async function probeConfirmed(subject: string, rpc: Rpc, { confirmations, chain }: NetworkSettings, head: bigint): Promise<Finding[]> {
  const name = networkVariable(chain, 'confirmations');
  let confirmed: bigint | undefined;
  const tag = await find(subject, 'confirmation', async () => {
    if (typeof confirmations === 'number') {
      confirmed = head > BigInt(confirmations) ? head - BigInt(confirmations) : 0n;
      return ok(`${confirmations} blocks`);
    }
    const asked = await answerOrRefusal(
      () => rpc.request({ method: 'eth_getBlockByNumber', params: [confirmations, false] }),
      () => rpc.getBlockNumber(),
    );
    if ('refusal' in asked || !asked.answer?.number) {
      const reason = 'refusal' in asked ? asked.refusal : 'it answers null';
      return failure(`the node does not know the tag ${confirmations}: ${reason}`, `use an endpoint that does, or set ${name}`);
    }
    confirmed = hexToBigInt(asked.answer.number);
    return ok(`${confirmations} is ${head - confirmed} blocks behind`);
  });
  if (confirmed === undefined) return [tag];
  const block = confirmed;
  const call = await find(subject, 'calls', async () => {
    const asked = await answerOrRefusal(
      () => lentGas(rpc, numberToHex(block)),
      () => lentGas(rpc, 'latest'),
    );
    if ('refusal' in asked)
      return failure(`the node has no state of the confirmed block ${block}: ${asked.refusal}`, `use an archive node, or fewer ${name}`);
    return sufficesFor(asked.answer);
  });
  return [tag, call];
}

function sufficesFor(gas: bigint): Verdict {
  const text = `${gas} gas for a call`;
  if (gas < neededGas) return failure(text, `signatures of contract accounts need ${neededGas}: raise --rpc.gascap, or use another node`);
  if (gas < comfortableGas) return warning(text, `accounts that are not deployed yet need ${comfortableGas}: raise --rpc.gascap`);
  return ok(text);
}

/** The indexer reads the tokens' logs from START_BLOCK on; nodes that prune history have none. */
async function probeHistory(rpc: Rpc, { startBlock, tokens, chain }: NetworkSettings, head: bigint): Promise<Verdict> {
  const name = networkVariable(chain, 'startBlock');
  const start = BigInt(startBlock);
  if (start > head)
    return failure(`${name} is ${start}, and the newest block ${head}`, `set ${name} to the block of the tokens' deployment`);
  const address = Object.values(tokens)[0] ?? zeroAddress;
  const asked = await answerOrRefusal(
    async () => {
      const block = await rpc.request({ method: 'eth_getBlockByNumber', params: [numberToHex(start), false] });
      await rpc.request({ method: 'eth_getLogs', params: [{ address, fromBlock: numberToHex(start), toBlock: numberToHex(start) }] });
      return block !== null;
    },
    () => rpc.getBlockNumber({ cacheTime: 0 }),
  );
  if ('answer' in asked && asked.answer) return ok(`reaches back to block ${start}`);
  const reason = 'refusal' in asked ? asked.refusal : 'it answers null';
  return failure(`the node does not serve block ${start}: ${reason}`, 'use a node that keeps the whole history of blocks and logs');
}

async function logRange(rpc: Rpc, { startBlock, tokens }: NetworkSettings, head: bigint): Promise<Verdict> {
  const { blocks, refusal } = await probeLogRange(rpc, Object.values(tokens)[0] ?? zeroAddress, head);
  if (blocks === 0n) return failure(`the node answers no question for logs: ${refusal}`, 'use another node');
  const text = refusal === undefined ? `at least ${blocks} blocks` : `${blocks} blocks: ${refusal}`;
  if (refusal === undefined || blocks >= comfortableRange) return ok(text);
  const questions = (head - BigInt(startBlock)) / blocks + 1n;
  return warning(text, `the indexer needs ${questions} questions for the blocks so far: a node with a wider range is faster`);
}

/** Nothing here needs old state beyond the confirmed block, so its absence is no fault. */
async function archive(rpc: Rpc, { startBlock }: NetworkSettings, head: bigint): Promise<Verdict> {
  const old = startBlock > 0 ? BigInt(startBlock) : head > 0n ? 1n : 0n;
  const asked = await answerOrRefusal(
    () => rpc.request({ method: 'eth_getBalance', params: [zeroAddress, numberToHex(old)] }),
    () => rpc.request({ method: 'eth_getBalance', params: [zeroAddress, 'latest'] }),
  );
  return ok('answer' in asked ? `yes: has the state of block ${old}` : `no, and none is needed (${asked.refusal})`);
}
