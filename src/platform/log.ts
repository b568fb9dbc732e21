import { pino, stdSerializers } from 'pino';
import { withoutUrlSecrets } from './url-secrets.ts';

export type Log = pino.Logger;

/** Names under which secrets could travel in a logged object. */
const secretNames = ['authorization', 'client_secret', 'secret', 'access_token', 'refresh_token', 'privateKey', 'password', 'raw'];

/**
 * One JSON line per event of the story, with the stable keys `orderId`, `legId`, `chain`, `signer`, `nonce`, `txHash`,
 * `correlationId`. Secrets are cut out by name, one level deep, and out of the addresses that errors name.
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
