import { createPublicClient, hexToBigInt, http, numberToHex, zeroAddress } from 'viem';
import { chainFacts } from '../../platform/chains.ts';
import { type NetworkSettings, networkVariable } from '../../platform/settings.ts';
import { withoutUrlSecrets } from '../../platform/url-secrets.ts';
import { callGas } from '../call-gas.ts';
import { answerOrRefusal } from '../node-answer.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { type CheckResult, failure, type Finding, ok, runCheck, warning } from './finding.ts';

/** An endpoint that serves the right chain, to be compared with the others. */
export interface Endpoint {
  subject: string;
  rpc: Rpc;
  head: bigint;
}

/** Gas for the check of a contract account's signature (500,000) and for the probe around it (700,000), with a reserve. */
const neededGas = 1_500_000n;

/** The same for an account that must be deployed first (5,000,000). */
const comfortableGas = 7_000_000n;

/** Blocks in one request for logs below which reading a long history takes too many requests. */
const comfortableRange = 500n;

/** Checks one endpoint by itself. `position` is its place in the setting, from 1. Never throws: an outage is a finding too. */
export async function probeEndpoint(
  network: NetworkSettings,
  url: string,
  position: number,
): Promise<{ findings: Finding[]; endpoint?: Endpoint }> {
  const chainId = await probeChainId(network, url, position);
  const { subject } = chainId;
  if (chainId.level !== 'ok') return { findings: [chainId] };
  const rpc = connect(url);
  let head = 0n;
  const age = await runCheck(subject, 'head', async () => {
    const block = await rpc.getBlock({ blockTag: 'latest' });
    head = block.number;
    return checkHead(network, block.number, Number(block.timestamp));
  });
  if (age.level === 'unknown') return { findings: [chainId, age] };
  const findings = [
    chainId,
    age,
    ...(await checkConfirmation(subject, rpc, network, head)),
    await runCheck(subject, 'history', () => checkHistory(rpc, network, head)),
    await runCheck(subject, 'log range', () => checkLogRange(rpc, network, head)),
    await runCheck(subject, 'archive', () => checkArchive(rpc, network, head)),
  ];
  return { findings, endpoint: { subject, rpc, head } };
}

/** Checks that an endpoint serves the network's chain. Never throws. */
export function probeChainId(network: NetworkSettings, url: string, position: number): Promise<Finding> {
  return runCheck(`rpc ${position} ${withoutUrlSecrets(url)}`, 'chain id', async () => {
    if (!url.startsWith('http')) return warning('not used: only http and https endpoints are', 'use an https endpoint');
    return checkChainId(network, await connect(url).getChainId());
  });
}

function connect(url: string): Rpc {
  return createPublicClient({ transport: http(url, { retryCount: 0, timeout: 15_000 }), cacheTime: 0 });
}

function checkChainId({ chain }: NetworkSettings, chainId: number): CheckResult {
  const { id, name } = chainFacts(chain);
  if (chainId === id) return ok(String(id));
  return failure(`${chainId}, but ${name} is ${id}`, `${networkVariable(chain, 'rpcUrls')} names an endpoint of another chain: replace it`);
}

function checkHead({ blockTimeSeconds }: NetworkSettings, number: bigint, timestamp: number): CheckResult {
  const age = Math.round(Date.now() / 1000 - timestamp);
  const text = `block ${number}, ${age} s old`;
  if (age < -60) return warning(text, 'the clock of this machine, or of the chain, is wrong');
  if (age > Math.max(600, 60 * blockTimeSeconds))
    return failure(text, 'the node does not follow the chain: wait until it has caught up, or use another');
  if (age > Math.max(60, 12 * blockTimeSeconds)) return warning(text, 'the node lags, or the chain has stopped: check again later');
  return ok(text);
}

/** Checks the confirmation policy, and that calls can be made at the confirmed block, where signatures of contract accounts are verified. */
async function checkConfirmation(subject: string, rpc: Rpc, { confirmations, chain }: NetworkSettings, head: bigint): Promise<Finding[]> {
  const name = networkVariable(chain, 'confirmations');
  let confirmed: bigint | undefined;
  const tag = await runCheck(subject, 'confirmation', async () => {
    if (typeof confirmations === 'number') {
      confirmed = head > BigInt(confirmations) ? head - BigInt(confirmations) : 0n;
      return ok(`${confirmations} blocks`);
    }
    const result = await answerOrRefusal(
      () => rpc.request({ method: 'eth_getBlockByNumber', params: [confirmations, false] }),
      () => rpc.getBlockNumber(),
    );
    if ('refusal' in result || !result.answer?.number) {
      const reason = 'refusal' in result ? result.refusal : 'it answers null';
      return failure(`the node does not know the tag ${confirmations}: ${reason}`, `use an endpoint that does, or set ${name}`);
    }
    confirmed = hexToBigInt(result.answer.number);
    return ok(`${confirmations} is ${head - confirmed} blocks behind`);
  });
  if (confirmed === undefined) return [tag];
  const block = confirmed;
  const call = await runCheck(subject, 'calls', async () => {
    const result = await answerOrRefusal(
      () => callGas(rpc, numberToHex(block)),
      () => callGas(rpc, 'latest'),
    );
    if ('refusal' in result)
      return failure(`the node has no state of the confirmed block ${block}: ${result.refusal}`, `use an archive node, or lower ${name}`);
    return checkCallGas(result.answer);
  });
  return [tag, call];
}

function checkCallGas(gas: bigint): CheckResult {
  const text = `${gas} gas for a call`;
  if (gas < neededGas)
    return failure(text, `signatures of contract accounts need ${neededGas}: raise the node's --rpc.gascap, or use another node`);
  if (gas < comfortableGas)
    return warning(text, `accounts that are not deployed yet need ${comfortableGas}: raise the node's --rpc.gascap`);
  return ok(text);
}

/** Checks that the node has logs from the start block on, where the indexer begins. Nodes that prune history do not. */
async function checkHistory(rpc: Rpc, { startBlock, tokens, chain }: NetworkSettings, head: bigint): Promise<CheckResult> {
  const name = networkVariable(chain, 'startBlock');
  const start = BigInt(startBlock);
  if (start > head)
    return failure(`${name} is ${start}, and the newest block is ${head}`, `set ${name} to the block of the tokens' deployment`);
  const address = Object.values(tokens)[0] ?? zeroAddress;
  const result = await answerOrRefusal(
    async () => {
      const block = await rpc.request({ method: 'eth_getBlockByNumber', params: [numberToHex(start), false] });
      await rpc.request({ method: 'eth_getLogs', params: [{ address, fromBlock: numberToHex(start), toBlock: numberToHex(start) }] });
      return block !== null;
    },
    () => rpc.getBlockNumber({ cacheTime: 0 }),
  );
  if ('answer' in result && result.answer) return ok(`reaches back to block ${start}`);
  const reason = 'refusal' in result ? result.refusal : 'it answers null';
  return failure(`the node does not serve block ${start}: ${reason}`, 'use a node that keeps all blocks and logs');
}

async function checkLogRange(rpc: Rpc, { startBlock, tokens }: NetworkSettings, head: bigint): Promise<CheckResult> {
  const { blocks, refusal } = await probeLogRange(rpc, Object.values(tokens)[0] ?? zeroAddress, head);
  if (blocks === 0n) return failure(`the node serves no logs: ${refusal}`, 'use another node');
  const text = refusal === undefined ? `at least ${blocks} blocks` : `${blocks} blocks: ${refusal}`;
  if (refusal === undefined || blocks >= comfortableRange) return ok(text);
  const requests = (head - BigInt(startBlock)) / blocks + 1n;
  return warning(text, `the indexer needs ${requests} requests for the blocks so far: a node with a wider range is faster`);
}

/** Reports whether the node has old state. Nothing needs state before the confirmed block, so both are ok. */
async function checkArchive(rpc: Rpc, { startBlock }: NetworkSettings, head: bigint): Promise<CheckResult> {
  const old = startBlock > 0 ? BigInt(startBlock) : head > 0n ? 1n : 0n;
  const result = await answerOrRefusal(
    () => rpc.request({ method: 'eth_getBalance', params: [zeroAddress, numberToHex(old)] }),
    () => rpc.request({ method: 'eth_getBalance', params: [zeroAddress, 'latest'] }),
  );
  return ok('answer' in result ? `yes: has the state of block ${old}` : `no, and it is not needed (${result.refusal})`);
}

/** A range wider than this does not make an indexer faster. */
const widestRange = 10_000n;

/**
 * The most blocks that a node allows in one `eth_getLogs` up to `head`, at most 10,000; 0 when it allows none. A binary search of at most 30
 * requests. `refusal` is the node's text for a wider range. Throws when the node does not answer.
 */
async function probeLogRange(rpc: Rpc, address: `0x${string}`, head: bigint): Promise<{ blocks: bigint; refusal?: string }> {
  const all = head + 1n < widestRange ? head + 1n : widestRange;
  const request = (blocks: bigint) =>
    answerOrRefusal(
      () =>
        rpc.request({
          method: 'eth_getLogs',
          params: [{ address, fromBlock: numberToHex(head - blocks + 1n), toBlock: numberToHex(head) }],
        }),
      () => rpc.getBlockNumber({ cacheTime: 0 }),
    );
  const first = await request(all);
  if ('answer' in first) return { blocks: all };
  let [allowed, refused] = [0n, all];
  while (refused - allowed > 1n) {
    const middle = (allowed + refused) / 2n;
    if ('answer' in (await request(middle))) allowed = middle;
    else refused = middle;
  }
  return { blocks: allowed, refusal: first.refusal };
}
