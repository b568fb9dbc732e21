import { pino } from 'pino';

export type Log = pino.Logger;

/** Names under which secrets could travel in a logged object. */
const secretNames = ['authorization', 'client_secret', 'secret', 'access_token', 'refresh_token', 'privateKey', 'password', 'raw'];

/**
 * One JSON line per event of the story, with the stable keys `orderId`, `legId`, `chain`, `signer`, `nonce`, `txHash`,
 * `correlationId`. Secrets are cut out by name, one level deep.
 */
export function createLog(level: string, bindings: Record<string, unknown> = {}): Log {
  return pino({ level, base: bindings, redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), remove: true } });
}
