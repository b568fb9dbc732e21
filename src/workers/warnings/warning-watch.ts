import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { readableSecrets, readableText } from '../../platform/secret-files.ts';
import type { Alarms } from '../alarms.ts';
import { certificateWarnings } from './certificate.ts';
import { diskWarnings } from './disk.ts';
import { rateWarnings } from './rates.ts';
import { secretWarnings } from './secret-ages.ts';
import type { Warning, WarningDeps } from './warning.ts';

/** What the watch over warnings needs; they are in the heartbeat of the common worker. */
export interface WarningWatchDeps extends WarningDeps {
  log: Log;
  alarms: Alarms;
  intervalMs?: number;
}

/** Each warns days ahead, except of the rates, which end within an hour. */
const defaultIntervalMs = 300_000;

/** Each belongs to no network. One that cannot be made says nothing: what it would look at has an alarm of its own when it is needed. */
const checks: readonly ((deps: WarningDeps) => Promise<Warning[]>)[] = [
  certificateWarnings,
  diskWarnings,
  rateWarnings,
  readableWarnings,
  secretWarnings,
];

/** Files with secrets that every user can read. Each worker of a network looks at its own, when it starts. */
async function readableWarnings({ settings }: WarningDeps): Promise<Warning[]> {
  return readableSecrets(settings).map((secret) => ({ kind: 'secret_readable', subject: secret.variable, text: readableText(secret) }));
}

/** Raises a warning for each thing that ends soon, and ends it when that was renewed. A check that fails leaves what it has said. */
export function startWarningWatch({ settings, ledger, registry, log, alarms, intervalMs = defaultIntervalMs }: WarningWatchDeps): Loop {
  const raised = checks.map((): Warning[] => []);
  const failures = new Map<string, string>();
  return startLoop({
    name: 'warnings',
    intervalMs,
    log,
    async turn() {
      for (const [index, check] of checks.entries()) {
        try {
          const now = await check({ settings, ledger, registry });
          const isOver = (old: Warning) => !now.some(({ kind, subject }) => kind === old.kind && subject === old.subject);
          for (const { kind, subject } of raised[index]?.filter(isOver) ?? []) alarms.clear(kind, subject);
          for (const { kind, subject, text } of now) alarms.raise(kind, subject, text);
          raised[index] = now;
          failures.delete(check.name);
        } catch (error) {
          const failure = messageOf(error);
          if (failures.get(check.name) !== failure)
            log.info({ check: check.name, err: failure }, 'nothing is known that could be warned of');
          failures.set(check.name, failure);
        }
      }
    },
  });
}
