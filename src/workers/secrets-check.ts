import type { Ledger } from '../ledger/ledger.ts';
import { sealingKeysInUse } from '../ledger/sealed-secrets.ts';
import type { Log } from '../platform/log.ts';
import { type Loop, startLoop } from '../platform/loop.ts';
import type { Sealer } from '../platform/sealing.ts';
import type { Alarms } from './alarms.ts';

/** What the check of secrets needs; its alarms are in the heartbeat of the common worker. */
export interface SecretsCheckDependencies {
  ledger: Ledger;
  sealer: Sealer;
  log: Log;
  alarms: Alarms;
  intervalMs?: number;
}

/** Keys change by hand only. */
const defaultIntervalMs = 30_000;

/** Raises an alarm for each key that seals secrets and is not in the settings, and for secrets that are not sealed. */
export function startSecretsCheck({ ledger, sealer, log, alarms, intervalMs = defaultIntervalMs }: SecretsCheckDependencies): Loop {
  const raised = new Set<string>();
  return startLoop({
    name: 'secrets',
    intervalMs,
    log,
    async turn() {
      const used = await sealingKeysInUse(ledger);
      const unreadable = new Set([...used].filter((key) => !sealer.knownKeyIds.includes(key)));
      for (const key of unreadable) {
        alarms.raise('secrets_unreadable', subjectOf(key), textOf(key));
        raised.add(key);
      }
      for (const key of raised) {
        if (unreadable.has(key)) continue;
        alarms.clear('secrets_unreadable', subjectOf(key));
        raised.delete(key);
      }
    },
  });
}

function subjectOf(key: string): string {
  return key === '' ? 'not sealed' : key;
}

function textOf(key: string): string {
  if (key === '') return 'there are secrets that are not sealed, and nothing is signed with them: run `mintrail secrets rotate`';
  return `secrets are sealed with the key ${key}, which is neither SECRETS_KEY nor among SECRETS_KEYS_OLD: add it to the latter`;
}
