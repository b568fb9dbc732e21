import { providedToken, type Grant, renewedToken, type TokenSource } from './access-token.ts';
import { MintrailApiError, MintrailUnreachableError } from './errors.ts';
import { readEvents } from './events.ts';
import type {
  AnswerOf,
  BodyOf,
  CallOptions,
  Method,
  OptionsArgument,
  OptionsOf,
  PagedItem,
  PagedPaths,
  PathsOf,
  Schemas,
} from './operations.ts';
import { readPages } from './pages.ts';
import { type Outgoing, send, type Transport } from './send.ts';
import { type Parameters, urlOf } from './url.ts';
import type { OrderEvent } from './webhooks.ts';

interface CommonOptions {
  /** Address of the API, such as `https://api.example.com`. */
  baseUrl: string;
  /** Milliseconds to wait for an answer; 30,000 by default. */
  timeout?: number | undefined;
  /** How often a GET, or a request with an idempotency key, is repeated when the service is unreachable or asks to wait; 2 by default. */
  retries?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** A private or whitelabel application passes its credentials; one that acts for its users passes their access tokens. */
export type ClientOptions = CommonOptions &
  ({ clientId: string; clientSecret: string; accessToken?: never } | { accessToken: () => Promise<string> | string });

/**
 * A client of a Mintrail API. Paths, parameters, bodies and answers are typed by the API's OpenAPI document.
 * Every call throws MintrailApiError when the API answers with an error, MintrailUnreachableError when no answer comes.
 */
export interface Client {
  get<Path extends PathsOf<'get'>>(path: Path, ...options: OptionsArgument<OptionsOf<'get', Path>>): Promise<BodyOf<'get', Path>>;
  post<Path extends PathsOf<'post'>>(path: Path, ...options: OptionsArgument<OptionsOf<'post', Path>>): Promise<BodyOf<'post', Path>>;
  patch<Path extends PathsOf<'patch'>>(path: Path, ...options: OptionsArgument<OptionsOf<'patch', Path>>): Promise<BodyOf<'patch', Path>>;
  /** Sends any request and returns the status and headers besides the body. */
  request<M extends Method, Path extends PathsOf<M>>(
    method: M,
    path: Path,
    ...options: OptionsArgument<OptionsOf<M, Path>>
  ): Promise<AnswerOf<M, Path>>;
  /** Yields every item of a list, reading page by page. `limit` is the size of a page. */
  pages<Path extends PagedPaths>(path: Path, ...options: OptionsArgument<OptionsOf<'get', Path>>): AsyncGenerator<PagedItem<Path>, void>;
  /** Uploads a document, to which verifications and orders refer by its id. */
  upload(file: File, options?: CallOptions): Promise<Schemas['File']>;
  /** Yields events of orders as they happen, until the reader stops. Reconnects without losing or repeating an event. */
  orderEvents(options?: OrderEventsOptions): AsyncGenerator<OrderEvent, void>;
}

/** Which order events are streamed, from where on, and until when. */
export interface OrderEventsOptions {
  /** Only the orders of this profile. */
  profile?: string | undefined;
  /** Id of the last event that was read: the stream resumes after it. Without it the stream begins now. */
  after?: string | undefined;
  /** Ends the stream, which throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

const mediaType = 'application/vnd.mintrail.api-v2+json';

/** The options of any call, before its types narrow them. */
interface AnyOptions extends CallOptions {
  path?: Parameters | undefined;
  query?: Parameters | undefined;
  body?: unknown;
}

interface AnyAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Creates a client. With an application's credentials it requests and renews access tokens by itself. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, timeout = 30_000, retries = 2, fetch = globalThis.fetch } = options;
  const transport: Transport = { fetch: (url, init) => fetch(url, init), timeout, retries };
  const tokens = tokenSource(options, transport);

  const call = async <Result>(request: Outgoing, read: (response: Response) => Promise<Result>): Promise<Result> => {
    const token = await tokens.current();
    try {
      return await send(withToken(request, token), transport, read);
    } catch (error) {
      // A revoked token, or a service that was set up anew: a 401 did nothing, so the request may be repeated.
      if (!(error instanceof MintrailApiError && error.status === 401 && tokens.reportRejected(token))) throw error;
      return send(withToken(request, await tokens.current()), transport, read);
    }
  };

  const request = (method: Method, path: string, { body, ...options }: AnyOptions = {}): Promise<AnyAnswer> => {
    const { url, headers, ...rest } = outgoing(baseUrl, method, path, options);
    if (body === undefined) return call({ url, headers, ...rest }, readAnswer);
    const json = { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
    return call({ url, ...rest, ...json }, readAnswer);
  };

  const bodyOf = (method: Method) => async (path: string, options?: AnyOptions) => (await request(method, path, options)).body;
  const get = bodyOf('get');

  return {
    get,
    post: bodyOf('post'),
    patch: bodyOf('patch'),
    request,
    pages: (path: string, options: AnyOptions = {}) =>
      readPages((query) => get(path, { ...options, query: { ...options.query, ...query } }), options.query),
    async upload(file: File, options: CallOptions = {}) {
      const form = new FormData();
      form.append('file', file);
      return (await call({ ...outgoing(baseUrl, 'post', '/files', options), body: form }, readAnswer)).body;
    },
    async *orderEvents({ profile, after, signal }: OrderEventsOptions = {}) {
      const accept = `text/event-stream, ${mediaType}`;
      const open = (lastEventId: string) => {
        const headers = { accept, ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }) };
        return call(outgoing(baseUrl, 'get', '/orders/stream', { query: { profile }, headers, signal }), readStream);
      };
      for await (const { id, data } of readEvents(open, { lastEventId: after, signal })) yield { ...(data as OrderEvent), id };
    },
    // The types of a path are known where it is called, not here.
  } as unknown as Client;
}

function tokenSource(options: ClientOptions, transport: Transport): TokenSource {
  if (options.accessToken) return providedToken(options.accessToken);
  const { baseUrl, clientId, clientSecret } = options;
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
  const url = urlOf(baseUrl, '/auth/token');
  const grant = { method: 'POST', url, headers: { accept: mediaType }, body, isRepeatable: true };
  return renewedToken(async () => (await send(grant, transport, readAnswer)).body as Grant);
}

function outgoing(baseUrl: string, method: Method, path: string, options: AnyOptions): Outgoing {
  const { idempotencyKey, headers, signal } = options;
  return {
    method: method.toUpperCase(),
    url: urlOf(baseUrl, path, options.path, options.query),
    headers: { accept: mediaType, ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }), ...headers },
    isRepeatable: method === 'get' || idempotencyKey !== undefined,
    signal,
  };
}

function withToken(request: Outgoing, token: string): Outgoing {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}

async function readAnswer(response: Response): Promise<AnyAnswer> {
  const text = await response.text();
  const { status, headers } = response;
  try {
    return { status, headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  } catch {
    throw notTheApi(response, 'JSON');
  }
}

/** The response itself, because the body of a stream is read as it arrives. */
async function readStream(response: Response): Promise<Response> {
  if (response.status === 204 || response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  await response.body?.cancel();
  throw notTheApi(response, 'events');
}

function notTheApi({ url, status }: Response, expected: string): MintrailUnreachableError {
  return new MintrailUnreachableError(`${url} answered ${status} with something other than ${expected}: is the API at this address?`);
}
