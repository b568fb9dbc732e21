import { METHODS } from 'node:http';
import path from 'node:path';
import { expectDocumented } from '../api/support/expect-documented.ts';
import type { FuzzCaller, FuzzWorld, Holder } from './fuzz-world.ts';
import { encodeMessage, type HttpMessage } from './http-message.ts';
import type { FuzzRequest } from './requests.ts';
import type { RawAnswer } from './send-bytes.ts';

/** Whoever is on the machine of a sandbox reads every mail of it (docs/sandbox.md). */
const showsEverything = /^\/sandbox\/mail(\/|\?|$)/;

/** What the service says of itself: pages with samples, in which lines look like code. */
const describesItself = /^\/(docs|openapi\.json)/;

const stackTrace = /\n\s+at [^\n]*[:(]|\.[cm]?ts:\d+|node_modules|node:internal/;
const databaseError = /syntax error at|violates [a-z-]+ constraint|relation "|duplicate key value|invalid input syntax|PostgreSQL|kysely/i;

const project = path.resolve(import.meta.dirname, '../..');

/** Ids of others that a caller has sent in bodies: what it stored itself may come back to it. */
export type SentIds = Map<FuzzCaller, Set<string>>;

/** Says what is wrong with an answer: one text for each finding. */
export function* checkAnswer(world: FuzzWorld, { caller, message }: FuzzRequest, answer: RawAnswer, sent: SentIds): Generator<string> {
  const { status, body, head } = answer;
  // A method that no server knows is 501 (RFC 9110, section 9.1).
  if (status >= 500 && !(status === 501 && !METHODS.includes(message.method))) yield `answered ${status}`;
  if (status === 0 && message.wire === 'intact') yield 'closed the connection without an answer';
  const request = readableText(message);
  if (!refusedBefore.test(answer.body)) yield* documentation(world, message.method, message.path, answer);
  if (showsEverything.test(message.path)) return;
  yield* leaks(world, caller, request, `${head}\n${body}`, sent);
  if (describesItself.test(message.path)) return;
  for (const text of [head, body]) yield* disclosures(world, request, text);
}

/** The body of an answer to what is no request to an operation, such as one with two hosts (RFC 9112, section 3.2), a strange method or a damaged text. */
const refusedBefore = /"errors":\{"(Host|Expect|request)":|"body":"must be UTF-8|"reason":"(not_implemented|request_head_too_large)"/;

function* documentation({ api }: FuzzWorld, method: string, path: string, { status, head, body }: RawAnswer): Generator<string> {
  // Without a body.
  if (!/^content-type: application\/json/im.test(head) || method === 'HEAD' || method === 'OPTIONS') return;
  try {
    expectDocumented(api.app, method, path, status, JSON.parse(body));
  } catch (error) {
    yield `is not documented: ${(error as Error).message.slice(0, 1_000)}`;
  }
}

/** What is somebody else's, in an answer to a request that did not contain it. */
function* leaks(world: FuzzWorld, caller: FuzzCaller, request: string, text: string, sent: SentIds): Generator<string> {
  const [asked, answered] = [request.toLowerCase(), text.toLowerCase()];
  for (const holder of world.holders) {
    if (caller.sees.includes(holder)) continue;
    if (answered.includes(holder.canary.toLowerCase()) && !asked.includes(holder.canary.toLowerCase()))
      yield `names data of ${holder.name}`;
    for (const id of idsOf(holder))
      if (answered.includes(id) && !asked.includes(id) && !sent.get(caller)?.has(id)) yield `names ${id} of ${holder.name}`;
  }
}

/** The text of a request, with the `@` of its forms as people write it. */
export function readableText(message: HttpMessage): string {
  return encodeMessage(message, '').toString('utf8').replaceAll('%40', '@');
}

/** Ids and addresses of a holder, as small letters. */
export function idsOf({ own, user, email }: Holder): string[] {
  const { wallet, profile, iban, order, file, subscription, delivery } = own;
  return [wallet.address, profile, iban, order, file, subscription, delivery, user, email].map((id) => id.toLowerCase());
}

function* disclosures({ api }: FuzzWorld, request: string, text: string): Generator<string> {
  for (const [what, pattern] of [
    ['a stack trace', stackTrace],
    ['a text of the database', databaseError],
  ] as const) {
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined && !request.includes(found)) yield `contains ${what}: ${found}`;
  }
  for (const folder of [project, api.dataDir]) if (text.includes(folder)) yield `contains the path ${folder}`;
}
