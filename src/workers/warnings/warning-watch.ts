import { readFile, stat } from 'node:fs/promises';
import { hasHostedPages } from '../../ledger/access/applications/clients.ts';
import { oldClientSecrets } from '../../ledger/access/applications/rotate-secret.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { canSendMail } from '../../platform/mail.ts';
import { readableSecrets, readableText, secretFiles } from '../../platform/secret-files.ts';
import { settingVariable } from '../../platform/settings.ts';
import type { Alarms } from '../alarms.ts';
import { certificateWarnings } from './certificate.ts';
import { diskWarnings } from './disk.ts';
import type { Warning, WarningDeps } from './warning.ts';

/** What the watch over warnings needs; they are in the heartbeat of the common worker. */
export interface WarningWatchDeps extends WarningDeps {
  log: Log;
  alarms: Alarms;
}

type Check = (deps: WarningDeps) => Promise<Warning[]>;

/** For what is known days ahead, or an hour as of the rates. */
const rarelyMs = 300_000;

/** A disk fills within minutes. */
const withinMinutesMs = 20_000;

/** Somebody who sets the service up waits for what is missing. Looking costs next to nothing. */
const soonMs = 5_000;

/** The checks and their intervals. A check belongs to no network. When it fails, its last warnings stay. */
const checks: readonly { check: Check; intervalMs: number }[] = [
  { check: certificateWarnings, intervalMs: rarelyMs },
  { check: diskWarnings, intervalMs: withinMinutesMs },
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

/** Warns of a missing mail server where people use the hosted pages: without mails nobody can sign up or reset a password. */
async function mailWarnings({ settings, ledger }: WarningDeps): Promise<Warning[]> {
  if (canSendMail(settings) || !(await hasHostedPages(ledger))) return [];
  const variable = settingVariable('smtpUrl');
  const text = `${variable} is not set, and applications send people to the hosted pages: nobody can sign up or reset a password. Set ${variable} and ${settingVariable('mailFrom')} for the API and the common worker, and restart both`;
  return [{ kind: 'mail_not_configured', subject: variable, text }];
}

/** Rates that have reached this share of the age at which they are no longer used are late. */
const lateShare = 0.75;

/** Warns of rates in `SWAP_RATES_FILE` that are not used any more soon. Throws what reading the file throws. */
async function rateWarnings({ settings }: WarningDeps): Promise<Warning[]> {
  const { swapRatesFile: file, swapRatesMaxAgeSeconds: maxAge } = settings;
  if (file === undefined || maxAge === 0) return [];
  const { time } = JSON.parse(await readFile(file, 'utf8')) as { time: string };
  const age = (Date.now() - Date.parse(time)) / 1000;
  if (!(age > maxAge * lateShare)) return [];
  const text = `the rates in ${file} are of ${new Date(time).toISOString()}, and from an age of ${maxAge} s on (${settingVariable('swapRatesMaxAgeSeconds')}) no swap has a price: see what should write them`;
  return [{ kind: 'rates_old', subject: file, text }];
}

/**
 * Warns of secrets that are older than `WARN_AT` says: the files of keys, passwords and keystores, by the time at which each was written, and the client
 * secrets of applications. Of a secret that stands in a variable, or in a key service, no date is known.
 */
async function secretWarnings({ settings, ledger }: WarningDeps): Promise<Warning[]> {
  const { secretDays: days } = settings.warnAt;
  if (days === 0) return [];
  const before = new Date(Date.now() - days * 86_400_000);
  const warnings: Warning[] = [];
  for (const { variable, file } of secretFiles(settings)) {
    if (variable === settingVariable('secretsKeysOld')) continue;
    const written = await stat(file)
      .then(({ mtime }) => mtime)
      .catch(() => undefined);
    if (written === undefined || written > before) continue;
    const text = `the secret of ${variable} (${file}) is of ${written.toISOString().slice(0, 10)}: ${remedyFor(variable)}`;
    warnings.push({ kind: 'secret_old', subject: `${variable} ${file}`, text });
  }
  const old = await oldClientSecrets(ledger, before);
  if (old !== undefined) {
    const text = `${old.count} client ${old.count === 1 ? 'secret is' : 'secrets are'} older than ${days} days, the oldest that of ${old.name}: agree on a time with its owner, then \`mintrail app rotate-secret ${old.id}\``;
    warnings.push({ kind: 'secret_old', subject: 'client secrets', text });
  }
  return warnings;
}

/** What to do about an old secret of a variable. */
function remedyFor(variable: string): string {
  return variable === settingVariable('secretsKey')
    ? 'make a new one and rotate it (docs/operations/deployment.md, Secrets at rest)'
    : 'make a new signer with a keystore of its own (docs/operations/runbooks/secret_old.md)';
}
