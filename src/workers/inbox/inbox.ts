import type { Ledger } from '../../ledger/ledger.ts';
import { isDatabaseOutage } from '../../platform/database.ts';
import { MintrailError, messageOf, StopError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import type { Settings } from '../../platform/settings.ts';
import { fileChunks } from '../../statements/file-chunks.ts';
import { importLogged } from '../../statements/import-logged.ts';
import type { Alarms } from '../alarms.ts';
import { type Ending, type InboxFile, listInbox, lookAt, moveWithReport, prepareInbox } from './files.ts';
import { createRefusedFilesWatch } from './refused-files.ts';
import type { AccountSettings } from '../../statements/statement-account.ts';
import { creditOptions } from '../../statements/credit-options.ts';

/** What the worker of the bank's inbox needs. Tests set shorter times. */
export interface InboxDependencies {
  settings: Pick<Settings, 'networks' | 'serviceName'> & AccountSettings & { bankInbox: string };
  ledger: Ledger;
  log: Log;
  alarms: Alarms;
  /** Called with each file that is moved out of the inbox. */
  onFile?: ((result: 'imported' | 'refused') => void) | undefined;
  intervalMs?: number;
  unchangedMs?: number;
  truncatedMs?: number;
  refusedMs?: number;
}

/** The folder is polled, because network file systems notify of no changes. Banks deliver a few files a day. */
const defaultIntervalMs = 1_000;

/** A file that did not change for so long is taken to be complete. */
const defaultUnchangedMs = 2_000;

/** A file that is empty or ends in its middle is taken to be still on its way until it did not change for so long. */
const defaultTruncatedMs = 120_000;

/** Between two looks at what was refused. */
const defaultRefusedMs = 30_000;

interface Watched {
  seen: string;
  since: number;
  /** Earliest time of the next try, after one that failed. */
  notBefore: number;
}

/**
 * Imports the files of `BANK_INBOX` in the order of their names, and moves each to `done` or `failed` with a report
 * beside it. Several workers may watch one folder: the import itself happens once, and a file that was imported but not
 * moved when its worker ended is recognised and moved.
 */
export function createInboxWatcher(dependencies: InboxDependencies): Loop {
  const {
    settings,
    log,
    alarms,
    intervalMs = defaultIntervalMs,
    unchangedMs = defaultUnchangedMs,
    truncatedMs = defaultTruncatedMs,
    refusedMs = defaultRefusedMs,
  } = dependencies;
  const folder = settings.bankInbox;
  const options = creditOptions(settings);
  const watched = new Map<string, Watched>();
  const watchRefused = createRefusedFilesWatch({ folder, ledger: dependencies.ledger, alarms, intervalMs: refusedMs });
  let unusable: string | undefined;
  /** Why files stay in the inbox, by their names. */
  const waiting = new Map<string, string>();

  async function files(): Promise<InboxFile[]> {
    try {
      await prepareInbox(folder);
      const files = await listInbox(folder);
      if (unusable !== undefined) log.info({ folder }, 'the inbox can be used again');
      unusable = undefined;
      alarms.clear('bank_inbox_unusable', 'inbox');
      return files;
    } catch (error) {
      const why = messageOf(error);
      if (why !== unusable)
        log.error({ folder, err: why }, 'BANK_INBOX is not a folder to read from and to move files in: nothing is imported');
      unusable = why;
      alarms.raise(
        'bank_inbox_unusable',
        'inbox',
        `BANK_INBOX, ${folder}, is not a folder to read from and to move files in (${why}): no file of the bank is imported`,
      );
      return [];
    }
  }

  function isReady(file: InboxFile, now: number): boolean {
    const before = watched.get(file.name);
    if (before?.seen !== file.seen) {
      watched.set(file.name, { seen: file.seen, since: now, notBefore: 0 });
      waiting.delete(file.name);
    }
    if (file.problem !== undefined) waiting.set(file.name, file.problem.slice(0, 200));
    const { since, notBefore } = watched.get(file.name) as Watched;
    return file.problem === undefined && now >= since + unchangedMs && now >= notBefore;
  }

  function postpone(file: InboxFile, milliseconds: number): void {
    const known = watched.get(file.name);
    if (known) known.notBefore = Date.now() + milliseconds;
  }

  async function take(file: InboxFile): Promise<void> {
    try {
      const chunks = fileChunks(file.path);
      const report = await importLogged(dependencies.ledger, log, { name: file.name, chunks, options, settings });
      await finish(file, 'done', report);
    } catch (error) {
      await onFailure(file, error);
    }
  }

  async function onFailure(file: InboxFile, error: unknown): Promise<void> {
    const isUnreadable = error instanceof StopError && error.code === 'file_unreadable';
    // Another worker was quicker.
    if (isUnreadable && (await lookAt(file.path)) === undefined) return;
    if (isDatabaseOutage(error) || (error instanceof MintrailError && error.retryable)) throw error;
    const since = watched.get(file.name)?.since ?? 0;
    if (error instanceof StopError && error.code === 'statement_truncated' && Date.now() < since + truncatedMs) {
      postpone(file, Math.min(truncatedMs / 10, 10_000));
      return;
    }
    if (error instanceof StopError && !isUnreadable) {
      const { code, message } = error;
      log.error({ file: file.name, code, err: message }, 'bank file refused');
      await finish(file, 'failed', { file: file.name, state: 'refused', error: { code, message } });
    } else {
      log.error({ file: file.name, err: error }, 'bank file could not be imported; it stays, and is tried again in a minute');
      waiting.set(file.name, messageOf(error).slice(0, 200));
      postpone(file, 60_000);
    }
  }

  /** Moves the file, unless it became another one while it was read: then that one is imported next. */
  async function finish(file: InboxFile, ending: Ending, report: object): Promise<void> {
    const now = await lookAt(file.path);
    if (now === undefined || now.seen !== file.seen) return;
    await moveWithReport(file, ending, report);
    dependencies.onFile?.(ending === 'done' ? 'imported' : 'refused');
    watched.delete(file.name);
    waiting.delete(file.name);
  }

  function tellWaiting(): void {
    const [first] = waiting;
    if (first === undefined) return alarms.clear('bank_files_waiting', 'inbox');
    const count = waiting.size === 1 ? 'a bank file' : `${waiting.size} bank files`;
    const text = `${count} in ${folder} cannot be imported, and what is in it is neither issued nor booked: ${first.join(': ')}. Mend the cause, mostly the owner or the mode of the file; it is tried again each minute`;
    alarms.raise('bank_files_waiting', 'inbox', text);
  }

  return startLoop({
    name: 'bank inbox',
    intervalMs,
    log,
    async turn() {
      const inboxFiles = await files();
      if (unusable !== undefined) return;
      const names = new Set(inboxFiles.map(({ name }) => name));
      for (const known of [watched, waiting]) for (const name of known.keys()) if (!names.has(name)) known.delete(name);
      // One time for all, so that files that came together are ready together, and imported in the order of their names.
      const now = Date.now();
      for (const file of inboxFiles.filter((candidate) => isReady(candidate, now))) await take(file);
      tellWaiting();
      await watchRefused();
    },
  });
}
