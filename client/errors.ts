/** The API answered a request with an error. */
export class MintrailApiError extends Error {
  override readonly name = 'MintrailApiError';
  /** HTTP status. */
  readonly status: number;
  /** Stable code of what happened, such as `insufficient_balance`; `undefined` when the answer did not come from the API. */
  readonly reason: string | undefined;
  /** One text per invalid field; empty when it is not about fields. */
  readonly errors: Readonly<Record<string, string>>;
  /** Id of this request in the logs of the service. */
  readonly correlationId: string | undefined;
  /** Seconds after which to try again, when the service said so. */
  readonly retryAfter: number | undefined;
  /** The whole body: parsed if it was JSON, otherwise its text. */
  readonly body: unknown;

  constructor(request: string, response: Response, text: string) {
    const body = parse(text);
    const {
      message,
      reason,
      errors = {},
    } = (typeof body === 'object' && body !== null ? body : {}) as {
      message?: string;
      reason?: string;
      errors?: Record<string, string>;
    };
    const fields = Object.entries(errors).map(([name, what]) => `${name} ${what}`);
    const details = [message, ...fields].filter(Boolean).join('; ') || response.statusText || 'no message';
    super(`${request} answered ${response.status}: ${details}`);
    this.status = response.status;
    this.reason = reason;
    this.errors = errors;
    this.correlationId = response.headers.get('x-correlation-id') ?? undefined;
    this.retryAfter = secondsUntil(response.headers.get('retry-after'));
    this.body = body;
  }
}

/** No answer came, or only part of it. Whether the request was carried out is unknown. */
export class MintrailUnreachableError extends Error {
  override readonly name = 'MintrailUnreachableError';
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3). */
function secondsUntil(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
