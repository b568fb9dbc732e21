import { pino, stdSerializers } from 'pino';
import { withoutPersonalData } from './personal-data.ts';
import { withoutUrlCredentials, withoutUrlSecrets } from './url-secrets.ts';

/** The logger that is handed to every part of a process. */
export type Log = pino.Logger;

/** Properties that are left out of what is logged, at any depth, because they may hold secrets. */
const secretNames = [
  'authorization',
  'client_secret',
  'secret',
  'access_token',
  'refresh_token',
  'privateKey',
  'password',
  'raw',
  'code_verifier',
];

/** Properties that are left out because they hold what is known of persons. */
const personalNames = ['email', 'firstName', 'lastName', 'birthday', 'phone', 'details', 'counterpart', 'payer', 'memo', 'body'];

const omitted = new Set([...secretNames, ...personalNames]);

/** Deeper values are not logged: lines are flat. */
const maxDepth = 5;

/**
 * A log that writes one JSON line per event, with the stable keys `orderId`, `legId`, `chain`, `signer`, `nonce`, `txHash`, `correlationId`.
 * No line holds secrets or personal data (docs/operations/watching.md, Logs): properties are left out by their names, and e-mail addresses, accounts
 * and the secrets in URLs are removed from all texts. Addresses and transactions of a blockchain stay, because they are public there.
 */
export function createLog(level: string, bindings: Record<string, unknown> = {}, destination?: pino.DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    base: bindings,
    // The message of an error stands here alone, without the object of the error: clients put the URL that they called into it.
    serializers: { err: (value: unknown) => (typeof value === 'string' ? withoutUrlSecrets(value) : value) },
    hooks: {
      logMethod(values, method) {
        const [first, ...rest] = values as unknown[];
        const line = [first instanceof Error ? { err: first } : first, ...rest];
        method.apply(this, line.map((value) => loggable(value, 0)) as typeof values);
      },
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** A value as it may be logged. */
function loggable(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return withoutPersonalData(withoutUrlCredentials(value));
  if (value instanceof Error) return loggableError(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth === maxDepth) return '…';
  if (Array.isArray(value)) return value.map((item) => loggable(item, depth + 1));
  const kept = Object.entries(value).filter(([name]) => !omitted.has(name));
  return Object.fromEntries(kept.map(([name, item]) => [name, loggable(item, depth + 1)]));
}

/** Without its other properties: those of a client hold requests and answers. */
function loggableError(error: Error): object {
  const { type, message, stack, code } = stdSerializers.err(error) as ReturnType<typeof stdSerializers.err> & { code?: unknown };
  return { type, code, message: withoutSecrets(message), stack: withoutSecrets(stack) };
}

function withoutSecrets(text: string): string {
  return withoutPersonalData(withoutUrlSecrets(text));
}
