import { messageOf, RetryError, StopError } from '../platform/errors.ts';

export interface ClientOptions {
  /** Address of the API, such as `http://localhost:3000`. */
  baseUrl: string;
  clientId: string;
  clientSecret: string;
}

/** One answer of the API: its status and body, whatever the status is. */
export interface Answer<Body> {
  status: number;
  body: Body;
}

/** Talks to a Mintrail API as an application, fetching access tokens as it needs them. */
export interface Client {
  /** Throws `api_refused` with the fields that are wrong when the status is not 2xx or 304, `api_unreachable` when there is no answer. */
  request<Body = unknown>(method: string, path: string, body?: object): Promise<Answer<Body>>;
  /** Uploads a document. Returns its id, by which verifications and orders name it. Throws as `request`. */
  upload(name: string, content: Uint8Array<ArrayBuffer>): Promise<string>;
}

/** Seconds before its end at which an access token is no longer used. */
const margin = 60;

export function createClient({ baseUrl, clientId, clientSecret }: ClientOptions): Client {
  let token: { value: string; until: number } | undefined;

  const accessToken = async (): Promise<string> => {
    if (token && token.until > Date.now()) return token.value;
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret });
    const { body } = await call<{ access_token: string; expires_in: number }>(`${baseUrl}/auth/token`, { method: 'POST', body: form });
    token = { value: body.access_token, until: Date.now() + (body.expires_in - margin) * 1_000 };
    return token.value;
  };

  return {
    async request(method, path, body) {
      const headers: Record<string, string> = {
        accept: 'application/vnd.mintrail.api-v2+json',
        authorization: `Bearer ${await accessToken()}`,
      };
      if (body) headers['content-type'] = 'application/json';
      return call(`${baseUrl}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    },
    async upload(name, content) {
      const form = new FormData();
      form.append('file', new Blob([content]), name);
      const headers = { authorization: `Bearer ${await accessToken()}` };
      const { body } = await call<{ id: string }>(`${baseUrl}/files`, { method: 'POST', headers, body: form });
      return body.id;
    },
  };
}

async function call<Body>(url: string, init: RequestInit): Promise<Answer<Body>> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (cause) {
    throw new RetryError({
      code: 'api_unreachable',
      message: `${init.method} ${url} got no answer (${messageOf(cause)}): does the API run?`,
      cause,
    });
  }
  const text = await response.text();
  const body = (text === '' ? {} : JSON.parse(text)) as Body & { message?: string; errors?: Record<string, string> };
  if (response.ok || response.status === 304) return { status: response.status, body };
  const fields = Object.entries(body.errors ?? {}).map(([name, what]) => `${name} ${what}`);
  throw new StopError({
    code: 'api_refused',
    message: `${init.method} ${url} answered ${response.status}: ${[body.message, ...fields].filter(Boolean).join('; ')}`,
    ...(body.errors ? { fields: body.errors } : {}),
  });
}
