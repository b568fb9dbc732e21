import { sql } from 'kysely';
import { StopError } from '../../../platform/errors.ts';
import type { Settings } from '../../../platform/settings.ts';
import { lockApplication } from './find-application.ts';
import { inTransaction, type Ledger } from '../../ledger.ts';

type Environment = Settings['environment'];

/** More than any application needs. */
export const maxOrigins = 20;

const maxOriginLength = 253 + 'https://:65535'.length;

/** Stands for every port of a loopback host, as in `http://localhost:*`: the sandbox's way to let any development server in. */
const anyPort = ':*';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What is wrong with an origin to be registered (RFC 6454, section 6.2); `undefined` when nothing is. */
export function originProblem(origin: string, environment: Environment): string | undefined {
  if (environment === 'sandbox' && isAnyLoopbackPort(origin)) return undefined;
  if (origin.length > maxOriginLength || origin.includes('*') || !URL.canParse(origin) || new URL(origin).origin !== origin)
    return 'must be an origin such as https://app.example, without a path and in small letters';
  const { protocol } = new URL(origin);
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://';
  if (protocol === 'http:' && environment === 'production') return 'must begin with https:// in production';
  return undefined;
}

/** The registered spelling of an origin that stands for all ports of its host; `undefined` when it is not a loopback host. */
export function anyPortOf(origin: string): string | undefined {
  if (!URL.canParse(origin)) return undefined;
  const { protocol, hostname } = new URL(origin);
  return protocol === 'http:' && loopbackHosts.has(hostname) ? `${protocol}//${hostname}${anyPort}` : undefined;
}

function isAnyLoopbackPort(origin: string): boolean {
  return origin.endsWith(anyPort) && anyPortOf(origin.slice(0, -anyPort.length)) === origin;
}

/** The origins of every application that has any and is not disabled, by its id. */
export async function readOrigins(ledger: Ledger): Promise<Map<string, readonly string[]>> {
  const rows = await ledger
    .selectFrom('applications')
    .where(sql<boolean>`origins <> '{}'`)
    .where('disabledAt', 'is', null)
    .select(['id', 'origins'])
    .execute();
  return new Map(rows.map(({ id, origins }) => [id, origins]));
}

/** Origins to add to an application, and to take from it. */
export interface OriginChanges {
  add: string[];
  remove: string[];
}

/**
 * Changes the origins of an application. Returns all that it has then. Each copy of the API notices within three seconds. Throws
 * `not_found`, and as {@link changedOrigins}.
 */
export async function changeOrigins(
  ledger: Ledger,
  id: string,
  { add, remove }: OriginChanges,
  environment: Environment,
): Promise<string[]> {
  return inTransaction(ledger, async (tx) => {
    const { origins } = await lockApplication(tx, id);
    const changed = changedOrigins(origins, { add, remove }, environment);
    if (add.length + remove.length > 0) await tx.updateTable('applications').set({ origins: changed }).where('id', '=', id).execute();
    return changed;
  });
}

/** What becomes of the origins of an application. Throws `bad_input` when an origin is not valid, is not registered, or they are too many. */
export function changedOrigins(origins: readonly string[], { add, remove }: OriginChanges, environment: Environment): string[] {
  for (const origin of add) {
    const problem = originProblem(origin, environment);
    if (problem !== undefined) throw invalid(`${problem}: ${origin}`);
  }
  for (const origin of remove) if (!origins.includes(origin)) throw invalid(`is not registered: ${origin}`);
  const changed = [...new Set([...origins, ...add])].filter((origin) => !remove.includes(origin));
  if (changed.length > maxOrigins) throw invalid(`must be at most ${maxOrigins}`);
  return changed;
}

function invalid(problem: string): StopError {
  return new StopError({
    code: 'bad_input',
    message: `The origins of the application cannot be changed: origin ${problem}`,
    fields: { origin: problem },
  });
}
