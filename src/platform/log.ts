import { pino, stdSerializers } from 'pino';
import { withoutUrlSecrets } from './url-secrets.ts';

/** The logger that is handed to every part of a process. */
export type Log = pino.Logger;

/** Properties that are removed from logged objects, because they may hold secrets. */
const secretNames = ['authorization', 'client_secret', 'secret', 'access_token', 'refresh_token', 'privateKey', 'password', 'raw'];

/**
 * A log that writes one JSON line per event, with the stable keys `orderId`, `legId`, `chain`, `signer`, `nonce`, `txHash`, `correlationId`.
 * Secrets are removed by property name, one level deep, and from the URLs in errors.
 */
export function createLog(level: string, bindings: Record<string, unknown> = {}): Log {
  const redact = { paths: secretNames.flatMap((name) => [name, `*.${name}`]), remove: true };
  return pino({ level, base: bindings, redact, serializers: { err: serializeError } });
}

function serializeError(error: unknown): unknown {
  if (typeof error === 'string') return withoutUrlSecrets(error);
  if (!(error instanceof Error)) return error;
  const { type, message, stack, code } = stdSerializers.err(error) as ReturnType<typeof stdSerializers.err> & { code?: unknown };
  return { type, code, message: withoutUrlSecrets(message), stack: withoutUrlSecrets(stack) };
}
