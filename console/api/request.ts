import { ApiError, ConsoleAwayError } from './api-error.ts';

/**
 * `fetch` for the console's own API. Throws {@link ApiError} for an answer that is no success, {@link ConsoleAwayError} when none comes.
 */
export async function request(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await send(input, init);
  if (!response.ok) throw new ApiError(response.status, await errorBody(response));
  return response;
}

/** Posts JSON and returns the JSON of the answer, or undefined when it is empty. Throws as {@link request} does. */
export async function post<Answer>(path: string, body: unknown): Promise<Answer> {
  const response = await request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(input, { ...init, credentials: 'same-origin' });
  } catch (error) {
    // Not an outage: the query is no longer needed.
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ConsoleAwayError(error);
  }
}

async function errorBody(response: Response): Promise<ConstructorParameters<typeof ApiError>[1]> {
  try {
    return (await response.json()) as ConstructorParameters<typeof ApiError>[1];
  } catch {
    return {};
  }
}
