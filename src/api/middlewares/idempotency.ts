import type { Context, HonoRequest } from 'hono';
import type { StatusCode } from 'hono/utils/http-status';
import { createHash } from 'node:crypto';
import { releaseKey, type StoredAnswer, storeAnswer, claimKey } from '../../ledger/access/idempotency-keys.ts';
import { StopError } from '../../platform/errors.ts';
import type { ApiDependencies, ApiEnv, Middleware } from '../api.ts';
import { respond } from '../http/error-response.ts';
import { invalid } from '../http/errors.ts';

/** The request header that carries the idempotency key (docs/api.md, Idempotency). */
export const idempotencyHeader = 'Idempotency-Key';

/** Header of an answer that is replayed. */
const replayedHeader = 'Idempotency-Replayed';

const maxKeyLength = 255;

/** Uploads are streamed: their endpoint calls {@link answerOnce} when the file has arrived. */
const uploads = '/files';

/**
 * Carries out a POST with an `Idempotency-Key` once, even if connections or processes fail: its answer is stored and replayed
 * (draft-ietf-httpapi-idempotency-key-header). A request without the header passes unchanged.
 */
export function createIdempotency(deps: Pick<ApiDependencies, 'ledger' | 'log'>): Middleware {
  return async (context, next) => {
    if (context.req.method !== 'POST' || context.req.path === uploads) return next();
    const key = readKey(context);
    if (key === undefined) return next();
    return answerOnce(deps, context, await requestFingerprint(context.req), async () => {
      await next();
      return context.res;
    });
  };
}

/**
 * Runs a request, or replays the stored answer to the same request under its key. Without a key it is always run. During the run
 * `context.var.claim` holds the id for what it creates. Throws `idempotency_key_reused`.
 */
export async function answerOnce(
  { ledger, log }: Pick<ApiDependencies, 'ledger' | 'log'>,
  context: Context<ApiEnv>,
  fingerprint: Buffer,
  run: () => Promise<Response>,
): Promise<Response> {
  const key = readKey(context);
  if (key === undefined) return run();
  const id = scopeOf(context, key);
  const use = await claimKey(ledger, id, fingerprint);
  if ('answer' in use) return replay(context, use.answer);
  if ('isReused' in use) throw reused(key);
  if ('busySeconds' in use) return busy(context, use.busySeconds);
  const { claim } = use;
  context.set('claim', claim);
  try {
    const response = await run();
    if (isFinal(response.status)) await storeAnswer(ledger, id, await read(response));
    else await releaseKey(ledger, id, claim);
    return response;
  } catch (error) {
    // A run without a stored answer may be repeated, and then finds what this one created.
    log.warn({ correlationId: context.var.correlationId, err: error }, 'a request with an idempotency key ended without an answer');
    await releaseKey(ledger, id, claim).catch(() => {});
    throw error;
  }
}

/** The key, bare or as a quoted string as in the draft. */
function readKey(context: Context<ApiEnv>): string | undefined {
  const header = context.req.header(idempotencyHeader)?.trim();
  if (header === undefined) return undefined;
  const key = /^".*"$/.test(header) ? header.slice(1, -1).replaceAll(/\\(["\\])/g, '$1') : header;
  if (key.length >= 1 && key.length <= maxKeyLength && /^[\x20-\x7e]+$/.test(key)) return key;
  throw invalid({ [idempotencyHeader]: `must be 1 to ${maxKeyLength} printable ASCII characters` });
}

/** Keys are separate by application, user and endpoint. */
function scopeOf(context: Context<ApiEnv>, key: string): Buffer {
  const { application, user } = context.var.caller;
  const { method, path } = context.req;
  return createHash('sha256')
    .update(JSON.stringify([application, user, method, path, key]))
    .digest();
}

/**
 * Whether an answer is final. Final errors are stored too, so that a delayed duplicate of a request is not carried out after its sender
 * got an error. Answers about who may ask (401, 403, 406), how often (429) and outages decide nothing: the same request may succeed later.
 */
function isFinal(status: number): boolean {
  return status < 500 && ![401, 403, 406, 429].includes(status);
}

async function read(response: Response): Promise<StoredAnswer> {
  const body = response.body === null ? null : await response.clone().text();
  return { status: response.status, contentType: response.headers.get('Content-Type'), body };
}

function replay(context: Context<ApiEnv>, { status, contentType, body }: StoredAnswer): Response {
  context.header(replayedHeader, 'true');
  if (contentType !== null) context.header('Content-Type', contentType);
  return context.newResponse(body, status as StatusCode);
}

function busy(context: Context<ApiEnv>, seconds: number): Response {
  const wait = Math.max(1, Math.ceil(seconds));
  const { body, status } = respond(
    'request_in_progress',
    `A request with this ${idempotencyHeader} is being answered: try again in ${wait} s`,
  );
  return context.json(body, status, { 'Retry-After': String(wait) });
}

function reused(key: string): StopError {
  return new StopError({
    code: 'idempotency_key_reused',
    message: 'Validation errors',
    fields: { [idempotencyHeader]: `${key} was used for another request: a new request needs a new key` },
  });
}

/**
 * What tells the requests under one idempotency key apart: their query and their body. Null in a field of a JSON body is as if it were left out, and the
 * order of its fields says nothing (docs/api.md, Requests and answers).
 */
async function requestFingerprint(request: HonoRequest): Promise<Buffer> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  const json = parseJson(bytes);
  const fingerprint = createHash('sha256').update(new URL(request.url).search).update('\0');
  return (json === undefined ? fingerprint.update(bytes) : fingerprint.update(canonicalText(json))).digest();
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** A text that is the same for values that mean the same, and for no others. It is for comparison only. */
function canonicalText(json: unknown): string {
  const texts: string[] = [];
  // Not by recursion: a body may be nested more deeply than the stack is.
  const open: ({ value: unknown } | { text: string })[] = [{ value: json }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if ('text' in next) texts.push(next.text);
    else if (Array.isArray(next.value)) {
      texts.push('[');
      open.push({ text: ']' });
      for (const value of next.value.toReversed()) open.push({ value });
    } else if (typeof next.value === 'object' && next.value !== null) {
      texts.push('{');
      open.push({ text: '}' });
      const fields = Object.entries(next.value).filter(([, field]) => field !== null);
      for (const [name, value] of fields.toSorted(byName)) open.push({ value }, { text: `${JSON.stringify(name)}:` });
    } else texts.push(`${JSON.stringify(next.value)},`);
  }
  return texts.join('');
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}
