import { createRandom } from '../simulation/random.ts';
import { hashOfBystanders } from './bystanders.ts';
import { checkAnswer, idsOf, readableText, type SentIds } from './check-answer.ts';
import type { FuzzWorld } from './fuzz-world.ts';
import { asCommand, encodeMessage } from './http-message.ts';
import { mutate } from './mutations.ts';
import { drawRequest, type FuzzRequest } from './requests.ts';
import { sendBytes } from './send-bytes.ts';

/** What a campaign sends: how many requests, and the seed that decides them. */
export interface CampaignOptions {
  requests: number;
  seed: number;
}

/** Something that must not be, with the request that showed it. */
export interface Finding {
  number: number;
  caller: string;
  operation: string;
  mutations: string[];
  problem: string;
  status: number;
  command: string;
  answer: string;
}

/** What a campaign saw. */
export interface CampaignResult {
  sent: number;
  findings: Finding[];
  /** Answers by operation, caller and status. */
  counts: { operation: string; caller: string; status: number }[];
}

/** Requests in flight at a time. */
const lanes = 6;

/** After so many requests the rows of the bystanders are compared, and callers get back what they lost. */
const requestsBetweenComparisons = 500;

/** More findings than anybody reads at once end a campaign. */
const maxFindings = 100;

/** Sends a campaign's requests to a service, and checks every answer. The same seed sends the same requests, but for ids and times. */
export async function runCampaign(
  world: FuzzWorld,
  { requests, seed }: CampaignOptions,
  report: (line: string) => void,
): Promise<CampaignResult> {
  const result: CampaignResult = { sent: 0, findings: [], counts: [] };
  const sent: SentIds = new Map();
  const before = await hashOfBystanders(world);
  for (let first = 0; first < requests && result.findings.length < maxFindings; first += requestsBetweenComparisons) {
    const numbers = Array.from({ length: Math.min(requestsBetweenComparisons, requests - first) }, (_, index) => first + index);
    const drawNext = () => numbers.shift();
    await Promise.all(Array.from({ length: lanes }, () => runLane(world, { drawNext, seed, result, sent })));
    await world.renew();
    const after = await hashOfBystanders(world);
    for (const [table, hash] of Object.entries(after))
      if (before[table] !== hash) result.findings.push(changedRows(table, first, `${before[table]} became ${hash}`));
    Object.assign(before, after);
    report(`${result.sent} requests, ${result.findings.length} findings`);
  }
  return result;
}

interface Lane {
  drawNext: () => number | undefined;
  seed: number;
  result: CampaignResult;
  sent: SentIds;
}

async function runLane(world: FuzzWorld, { drawNext, seed, result, sent }: Lane): Promise<void> {
  for (let number = drawNext(); number !== undefined; number = drawNext()) {
    const random = createRandom(`${seed}/${number}`);
    const request = await drawRequest(world, random);
    const mutations = mutate(request.message, random.of('mutations'));
    // The same request at the same time: a race over one id, one key or one page.
    const copies = random.chance('twice at once', 0.05) ? 2 : 1;
    rememberSent(world, request, sent);
    await Promise.all(Array.from({ length: copies }, () => send(world, request, { number, mutations, result, sent })));
  }
}

interface Sending {
  number: number;
  mutations: string[];
  result: CampaignResult;
  sent: SentIds;
}

async function send(world: FuzzWorld, request: FuzzRequest, { number, mutations, result, sent }: Sending): Promise<void> {
  const { operation, caller, message } = request;
  const host = `127.0.0.1:${world.port}`;
  const cutOff = message.wire === 'cut-off' || message.wire === 'length-too-long';
  const add = (problem: string, status: number, answer: string) => {
    const command = asCommand(message, host);
    result.findings.push({ number, caller: caller.name, operation, mutations, problem, status, command, answer: answer.slice(0, 1_500) });
  };
  result.sent += 1;
  try {
    const answer = await sendBytes(world.port, encodeMessage(message, host), { cutOff });
    result.counts.push({ operation, caller: caller.name, status: answer.status });
    for (const problem of checkAnswer(world, request, answer, sent)) add(problem, answer.status, `${answer.head}\n\n${answer.body}`);
  } catch (error) {
    add((error as Error).message, 0, '');
  }
}

/** What a caller stores, it may read again. */
function rememberSent({ holders }: FuzzWorld, { caller, message }: FuzzRequest, sent: SentIds): void {
  const text = readableText(message).toLowerCase();
  const known = sent.get(caller) ?? new Set();
  sent.set(caller, known);
  if (message.body.kind === 'none') return;
  for (const id of holders.flatMap(idsOf)) if (text.includes(id)) known.add(id);
}

function changedRows(table: string, first: number, what: string): Finding {
  const problem = `rows of ${table} that belong to others changed: ${what}`;
  return { number: first, caller: 'anybody', operation: `${first} and later`, mutations: [], problem, status: 0, command: '', answer: '' };
}
