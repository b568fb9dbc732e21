import { randomUUID } from 'node:crypto';

/** The header of a request and its answer that names the log lines of both. */
export const correlationHeader = 'X-Correlation-Id';

/** Ids that are safe in a log line and a header. Any other is replaced, so that no client writes into the log. */
const safeId = /^[A-Za-z0-9._:-]{1,128}$/;

/** The id under which a request is logged: its own if it is safe, otherwise a new one (docs/api.md, Correlation ids). */
export function correlationIdOf(requested: string | undefined): string {
  return requested !== undefined && safeId.test(requested) ? requested : randomUUID();
}
