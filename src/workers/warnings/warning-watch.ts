import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { readableSecrets, readableText } from '../../platform/secret-files.ts';
import type { Alarms } from '../alarms.ts';
import { certificateWarnings } from './certificate.ts';
import { diskWarnings } from './disk.ts';
import { mailWarnings } from './mail.ts';
import { rateWarnings } from './rates.ts';
import { secretWarnings } from './secret-ages.ts';
import type { Warning, WarningDeps } from './warning.ts';

/** What the watch over warnings needs; they are in the heartbeat of the common worker. */
export interface WarningWatchDeps extends WarningDeps {
  log: Log;
  alarms: Alarms;
}

type Check = (deps: WarningDeps) => Promise<Warning[]>;

/** For what is known days ahead, or an hour as of the rates. */
const rarelyMs = 300_000;

/** A disk may fill within minutes, and somebody who sets the service up waits for what is missing. Looking costs next to nothing. */
const soonMs = 5_000;

/** The checks and their intervals. A check belongs to no network. When it fails, its last warnings stay. */
const checks: readonly { check: Check; intervalMs: number }[] = [
  { check: certificateWarnings, intervalMs: rarelyMs },
  { check: diskWarnings, intervalMs: soonMs },
  { check: mailWarnings, intervalMs: soonMs },
  { check: rateWarnings, intervalMs: rarelyMs },
  { check: readableWarnings, intervalMs: rarelyMs },
  { check: secretWarnings, intervalMs: rarelyMs },
];

/** Files with secrets that every user can read. Each worker of a network looks at its own, when it starts. */
async function readableWarnings({ settings }: WarningDeps): Promise<Warning[]> {
  return readableSecrets(settings).map((secret) => ({ kind: 'secret_readable', subject: secret.variable, text: readableText(secret) }));
}

/** Raises a warning for each thing that ends soon, and ends it when that was renewed. */
export function startWarningWatch(deps: WarningWatchDeps): Pick<Loop, 'wake' | 'close'> {
  const loops = checks.map(({ check, intervalMs }) => startCheck(deps, check, intervalMs));
  return {
    wake: () => loops.forEach((loop) => loop.wake()),
    close: async () => void (await Promise.all(loops.map((loop) => loop.close()))),
  };
}

function startCheck({ settings, ledger, registry, log, alarms }: WarningWatchDeps, check: Check, intervalMs: number): Loop {
  let raised: Warning[] = [];
  let failed: string | undefined;
  const turn = async () => {
    try {
      const now = await check({ settings, ledger, registry });
      const isOver = (old: Warning) => !now.some(({ kind, subject }) => kind === old.kind && subject === old.subject);
      for (const { kind, subject } of raised.filter(isOver)) alarms.clear(kind, subject);
      for (const { kind, subject, text } of now) alarms.raise(kind, subject, text);
      raised = now;
      failed = undefined;
    } catch (error) {
      const failure = messageOf(error);
      if (failed !== failure) log.info({ check: check.name, err: failure }, 'nothing is known that could be warned of');
      failed = failure;
    }
  };
  return startLoop({ name: check.name, intervalMs, log, turn });
}
