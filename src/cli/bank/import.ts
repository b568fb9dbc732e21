import { stat } from 'node:fs/promises';
import path from 'node:path';
import { StopError } from '../../platform/errors.ts';
import { fileChunks } from '../../statements/file-chunks.ts';
import { type BankFileReport, importBankFile } from '../../statements/import-file.ts';
import type { StatusLine, StatusReport } from '../../statements/import-status-report.ts';
import type { RecallLine, RecallReport } from '../../statements/recalls/import-recalls.ts';
import type { ReportLine, StatementReport } from '../../statements/statement-report.ts';
import { creditOptions } from '../../statements/credit-options.ts';
import { createProgressDisplay } from './progress.ts';
import { cliSettings } from '../cli-settings.ts';
import { exitCodes } from '../render-error.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { changeLedger } from '../verbs/carry-out-verb.ts';

/** A file of which nothing was applied. */
interface FailedFile {
  file: string;
  state: 'failed';
  error: { code: string; message: string };
}

/** `mintrail bank import`: each file by itself, so that a file that fails does not stop the others. */
export async function importBankFiles(files: readonly string[], json: boolean): Promise<void> {
  const settings = cliSettings();
  const options = creditOptions(settings);
  const outcomes: (BankFileReport | FailedFile)[] = [];
  try {
    await changeLedger({ roles: ['treasurer', 'administrator'] }, {}, async (ledger) => {
      for (const file of files) {
        const name = file === '-' ? 'standard input' : path.basename(file);
        const progress = createProgressDisplay(name, await sizeOf(file));
        try {
          const chunks = file === '-' ? process.stdin : fileChunks(file);
          const outcome = await importBankFile(ledger, {
            name,
            chunks,
            options,
            settings,
            onProgress: (reached) => progress.show(reached),
          });
          outcomes.push(outcome);
        } catch (error) {
          outcomes.push({ file: name, state: 'failed', error: failureOf(error) });
        } finally {
          progress.end();
        }
        if (!json) print(renderOutcome(outcomes.at(-1) as BankFileReport | FailedFile));
      }
    });
  } finally {
    if (json) print(renderJson(outcomes));
  }
  if (outcomes.some(({ state }) => state === 'failed')) process.exitCode = exitCodes.failed;
}

/** Why a file is not applied. Rethrows any other error, such as an outage, which ends the command. */
function failureOf(error: unknown): FailedFile['error'] {
  if (error instanceof StopError) return { code: error.code, message: error.message };
  throw error;
}

async function sizeOf(file: string): Promise<number | undefined> {
  if (file === '-') return undefined;
  const stats = await stat(file).catch(() => undefined);
  return stats?.isFile() ? stats.size : undefined;
}

function renderOutcome(outcome: BankFileReport | FailedFile): string {
  if (outcome.state === 'failed') return `${outcome.file}: not applied. ${outcome.error.message} (${outcome.error.code})`;
  if (outcome.state === 'already_imported') return `${outcome.file}: imported already, nothing changed.`;
  if (!('sums' in outcome)) return outcome.message === 'camt.056' ? renderRecallReport(outcome) : renderStatusReport(outcome);
  const { file, message, counts, sums, settled, unexplained, alerts, lines, omitted } = outcome;
  const facts = listFacts([
    [counts.issued, `${counts.issued === 1 ? 'order' : 'orders'}${sumsText(sums.issued)}`],
    [counts.unmatched, `unmatched${sumsText(sums.unmatched)}`],
    [counts.known, 'known before'],
    [counts.skipped, `skipped${pendingText(outcome)}`],
    [settled, 'of our payments settled'],
    [unexplained, `${unexplained === 1 ? 'debit' : 'debits'} to be explained`],
  ]);
  return [
    `${file}: ${message} applied. ${counts.entries} ${counts.entries === 1 ? 'entry' : 'entries'}: ${facts}.`,
    ...alerts.map((line) => `  ! ${renderLine(line)}`),
    ...lines.map((line) => `    ${renderLine(line)}`),
    ...(omitted > 0 ? [`    and ${omitted} more: \`mintrail bank unmatched\` lists them all`] : []),
  ].join('\n');
}

/** What is to come again in a statement. */
function pendingText({ skipped: { not_booked: pending = 0, unreferenced = 0 } }: StatementReport): string {
  const texts = [
    ...(pending === 0 ? [] : [`${pending} not booked yet`]),
    ...(unreferenced === 0 ? [] : [`${unreferenced} without a reference, until the statement`]),
  ];
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}

function sumsText(sums: Record<string, string>): string {
  const texts = Object.entries(sums).map(([currency, sum]) => `${sum} ${currency.toUpperCase()}`);
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}

function renderLine({ entry, line, amount, currency, outcome, reason, reference }: ReportLine): string {
  const money = amount === undefined ? '' : ` ${amount} ${currency?.toUpperCase() ?? ''}`;
  const location = entry === undefined ? 'an earlier file:' : `entry ${entry} (line ${line})`;
  return `${location}${money}, ${outcome}: ${reason}${reference === undefined ? '' : ` [${reference}]`}`;
}

/** The result of importing recalls, for people. */
function renderRecallReport({ file, message, counts, alerts, omitted }: RecallReport): string {
  const facts = listFacts([
    [counts.recalls, counts.recalls === 1 ? 'payment recalled' : 'payments recalled'],
    [counts.known, 'known before'],
  ]);
  return [
    `${file}: ${message} applied: ${facts}.`,
    ...alerts.map((line) => `  ! ${renderRecall(line)}`),
    ...(omitted > 0 ? [`    and ${omitted} more: \`mintrail bank recalls\` lists them all`] : []),
  ].join('\n');
}

function renderRecall({ line, endToEndId, amount, currency, reason }: RecallLine): string {
  const money = amount === undefined ? '' : ` ${amount} ${currency?.toUpperCase() ?? ''},`;
  return `line ${line},${money} ${endToEndId ?? 'without an EndToEndId'}: ${reason}`;
}

/** The result of importing a payment status report, for people. */
function renderStatusReport({ file, message, counts, alerts, omitted }: StatusReport): string {
  const { accepted, refused, open, known } = counts;
  const facts = listFacts([
    [accepted, accepted === 1 ? 'payment accepted' : 'payments accepted'],
    [refused, 'refused'],
    [open, 'still in flight'],
    [known, 'known before'],
  ]);
  return [
    `${file}: ${message} applied: ${facts}.`,
    ...alerts.map((line) => `  ! ${renderStatus(line)}`),
    ...(omitted > 0 ? [`    and ${omitted} more of these`] : []),
  ].join('\n');
}

function renderStatus({ line, endToEndId, messageId, status, reason }: StatusLine): string {
  const what = endToEndId === undefined ? `file ${messageId ?? 'without a message id'}` : `payment ${endToEndId}`;
  return `line ${line}, ${what}, ${status || 'no status'}: ${reason}`;
}

/** Counts with what they are of, such as `2 orders, 1 unmatched`, without what there is none of. */
function listFacts(facts: readonly (readonly [count: number, text: string])[]): string {
  const present = facts.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`);
  return present.length === 0 ? 'nothing changed' : present.join(', ');
}
