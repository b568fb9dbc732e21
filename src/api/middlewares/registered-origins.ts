import { anyPortOf, readOrigins } from '../../ledger/access/applications/origins.ts';
import { messageOf } from '../../platform/errors.ts';
import type { ApiDependencies } from '../api.ts';

/** How long what was read is trusted: a change of origins is noticed after this time, as a revoked token is. */
const trustMs = 3_000;

/** The origins that applications registered, as they were at most three seconds ago. */
export interface RegisteredOrigins {
  /** Whether the application registered the origin; without an application, whether any did. */
  has(origin: string, application?: string): Promise<boolean>;
}

/**
 * Reads the origins of all applications together, at most every three seconds, however many requests ask. During an outage it goes on
 * with what it read last.
 */
export function createRegisteredOrigins(
  { ledger, settings, log }: Pick<ApiDependencies, 'ledger' | 'settings' | 'log'>,
  now: () => number = () => performance.now(),
): RegisteredOrigins {
  let known: { byApplication: Map<string, readonly string[]>; all: Set<string> } | undefined;
  let readAt = -Infinity;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    readAt = now();
    try {
      const byApplication = await readOrigins(ledger);
      known = { byApplication, all: new Set([...byApplication.values()].flat()) };
    } catch (error) {
      if (known === undefined) throw error;
      log.warn({ err: messageOf(error) }, 'the origins of applications could not be read; those that were read last are used');
    } finally {
      reading = undefined;
    }
  }

  return {
    async has(origin, application) {
      if (known === undefined || now() - readAt >= trustMs) await (reading ??= read());
      const registered = application === undefined ? known?.all : new Set(known?.byApplication.get(application));
      if (registered === undefined) return false;
      const anyPort = settings.environment === 'sandbox' ? anyPortOf(origin) : undefined;
      return registered.has(origin) || (anyPort !== undefined && registered.has(anyPort));
    },
  };
}
