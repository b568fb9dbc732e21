import { type Command, Option } from 'commander';
import { type RecallRefusal, recallRefusals } from '../../bank/recall.ts';
import { parseId, parseMoney, wholeNumber } from '../option-values.ts';
import type { ClaimOptions } from './claims.ts';
import type { ExplainOptions } from './debits.ts';
import type { StatementOptions } from './statements.ts';
import { parseExplanation, parseSettlement } from './explanation.ts';
import type { MatchOptions, ReturnOptions, SettleOptions } from './unmatched.ts';

interface JsonOption {
  json?: boolean;
}

/** `mintrail bank`: the bank's files, and unmatched credits. */
export function addBankCommands(program: Command): void {
  const bank = program
    .command('bank')
    .description(
      "import the bank's files, and decide what waits for an operator: unmatched credits, debits, claims, recalls, missing statements",
    );
  addFileCommands(bank);
  addCreditCommands(bank);
  addDebitCommands(bank);
  addClaimCommands(bank);
  addRecallCommands(bank);
}

/** `mintrail bank import`, `statements` and `accept-gap`. */
function addFileCommands(bank: Command): void {
  bank
    .command('import')
    .description(
      'import camt.053, camt.054, camt.052, pain.002 and camt.056 files, each in full or not at all. Exit code 1 when a file is not applied',
    )
    .argument('<file...>', 'files; - reads one from standard input')
    .option('--json', 'print JSON')
    .action(async (files: string[], { json = false }: JsonOption) => (await import('./import.ts')).importBankFiles(files, json));

  bank
    .command('statements')
    .description('list the statements with their balances and what the book has on their closing day, the latest first')
    .option('--account <account>', 'only statements of this account')
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 1_000), 20)
    .option('--json', 'print JSON')
    .action(async (options: StatementOptions) => (await import('./statements.ts')).listStatements(options));

  bank
    .command('accept-gap')
    .description('accept that no statement is missing before one, as when the bank skips a number')
    .argument('<id>', 'id of the statement in `mintrail bank statements`', parseId)
    .requiredOption('--reason <text>', 'how you know; it is recorded')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { reason: string; json?: boolean }) =>
      (await import('./statements.ts')).acceptStatementGap(id, options),
    );
}

/** `mintrail bank unmatched`, `match`, `repeat`, `not-booked`, `return` and `settle`. */
function addCreditCommands(bank: Command): void {
  bank
    .command('unmatched')
    .description(
      'list the credits that could not be matched to a holder, the oldest first; below a suspected repeat the credit that it may repeat',
    )
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 100_000), 1_000)
    .option('--json', 'print JSON')
    .action(async (options: JsonOption & { limit: number }) => (await unmatched()).listUnmatched(options.limit, options.json ?? false));

  bank
    .command('match')
    .description(
      'match an unmatched credit: try to make it an order again, for instance after its IBAN was assigned, or match a payment of ours that came back to that payment; once',
    )
    .argument('<reference>', 'reference of the credit in `mintrail bank unmatched`')
    .option('--payment <id>', 'the payment of ours that came back; what the credit lacks, such as charges, is added by the operator')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON; needs --yes where something is to be confirmed')
    .action(async (reference: string, options: MatchOptions) => (await unmatched()).matchAgain(reference, options));

  bank
    .command('repeat')
    .description(
      'end an unmatched credit whose money is that of another credit: nothing is issued or returned for it, and the book undoes it',
    )
    .argument('<reference>', 'reference of the credit in `mintrail bank unmatched`')
    .option('--of <reference...>', 'the credits whose money it is; without them the credit that it is suspected to repeat')
    .option('--json', 'print JSON')
    .action(async (reference: string, { of = [], json = false }: JsonOption & { of?: string[] }) =>
      (await import('./repeats.ts')).repeatMoney(reference, of, json),
    );

  bank
    .command('not-booked')
    .description('say that the bank has not booked a credit that it has notified: it is not issued, or what was issued is a claim')
    .argument('<reference>', 'reference of the credit in `mintrail status`')
    .requiredOption('--reason <text>', 'how you know; it is recorded')
    .option('--json', 'print JSON')
    .action(async (reference: string, options: { reason: string; json?: boolean }) =>
      (await import('./claims.ts')).takeBack(reference, options),
    );

  bank
    .command('return')
    .description('send an unmatched credit back to its payer, once; where the bank named no payer, only mark it as returned')
    .argument('<reference>', 'reference of the credit in `mintrail bank unmatched`')
    .option('--to-iban <iban>', 'another account than that of the payer')
    .option('--to-name <name>', 'whose account that is')
    .option('--json', 'print JSON')
    .action(async (reference: string, options: ReturnOptions) => (await unmatched()).returnMoney(reference, options));

  bank
    .command('settle')
    .description('end an unmatched credit that is neither to be issued nor to be returned, once')
    .argument('<reference>', 'reference of the credit in `mintrail bank unmatched`')
    .requiredOption(
      '--as <what>',
      'own (your own money, such as a top-up or a refunded fee), or difference:DEBIT, an unexplained debit that the bank undoes by it',
      parseSettlement,
    )
    .requiredOption('--reason <text>', 'how you know; it is recorded')
    .option('--json', 'print JSON')
    .action(async (reference: string, options: SettleOptions) => (await unmatched()).settle(reference, options));
}

/** `mintrail bank debits` and `explain`. */
function addDebitCommands(bank: Command): void {
  bank
    .command('debits')
    .description('list the debits that are none of our payments and wait to be explained, the oldest first')
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 100_000), 1_000)
    .option('--json', 'print JSON')
    .action(async (options: JsonOption & { limit: number }) => (await debits()).listDebits(options.limit, options.json ?? false));

  bank
    .command('explain')
    .description('say what a debit was, once; a payment of ours is settled by it')
    .argument('<reference>', 'reference of the debit in `mintrail bank debits`')
    .requiredOption(
      '--as <what>',
      'fee, interest or own (your own money), payment:ID (payment:ID,ID,fee when it is several with the fee that the bank added), return-of:CREDIT, reversal-of:CREDIT, which the bank took back, in full or in part (reversal-of:CREDIT,CREDIT when it took several back in one sum), or repeat-of:DEBIT, which was reported before, alone or in a sum (repeat-of:DEBIT,DEBIT when it is their sum)',
      parseExplanation,
    )
    .requiredOption('--reason <text>', 'how you know; it is recorded')
    .option('--amount <amount>', "what it was over, where the bank's amount cannot be read", parseMoney)
    .option('--json', 'print JSON')
    .action(async (reference: string, options: ExplainOptions) => (await debits()).explain(reference, options));
}

/** `mintrail bank claims`. */
function addClaimCommands(bank: Command): void {
  const list = bank
    .command('claims')
    .description('list the credits that the bank took back after they had been issued or returned, the oldest first')
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 100_000), 1_000)
    .option('--json', 'print JSON')
    .action(async (options: JsonOption & { limit: number }) => (await claims()).showClaims(options.limit, options.json ?? false));

  list
    .command('settle')
    .description('end a claim: by a credit that makes it good, all or in part, or by writing off what is open')
    .argument(
      '<claim>',
      'reference of the claim in `mintrail bank claims`: that of its debit, with a number behind it where the debit took several credits back',
    )
    .option('--by <credit>', 'reference of the unmatched credit with which it is paid')
    .option('--write-off', "write it off, as the operator's loss")
    .option('--reason <text>', 'why it is written off; it is recorded')
    .option('--json', 'print JSON')
    .action(async (claim: string, options: ClaimOptions) => (await claims()).settleClaim(claim, options));

  list
    .command('undo')
    .description('undo that a debit took credits back: their claims end, or they are unmatched again, and the debit is to be explained')
    .argument('<debit>', 'reference of the debit or of one of its claims, also of a debit whose credit was not issued or returned yet')
    .requiredOption('--reason <text>', 'how you know; it is recorded')
    .option('--json', 'print JSON')
    .action(async (debit: string, options: { reason: string; json?: boolean }) => (await claims()).undoClaim(debit, options));
}

/** `mintrail bank recalls`. */
function addRecallCommands(bank: Command): void {
  const list = bank
    .command('recalls')
    .description('list the payments whose return banks ask for, with the credits that they may be about, the oldest first')
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 10_000), 1_000)
    .option('--json', 'print JSON')
    .action(async (options: JsonOption & { limit: number }) => (await recalls()).showRecalls(options.limit, options.json ?? false));

  list
    .command('accept')
    .description('let the bank take the money of a credit back, once: an unmatched credit is returned by its debit, else that is a claim')
    .argument('<recall>', 'id of the recall in `mintrail bank recalls`', parseId)
    .option('--credit <reference>', 'the credit, where it may be about several')
    .option('--json', 'print JSON')
    .action(async (id: string, options: JsonOption & { credit?: string }) => (await recalls()).acceptRecall(id, options));

  list
    .command('refuse')
    .description('refuse a recall, once')
    .argument('<recall>', 'id of the recall in `mintrail bank recalls`', parseId)
    .addOption(
      new Option(
        '--code <code>',
        `why: ${Object.entries(recallRefusals)
          .map(([code, why]) => `${code} (${why})`)
          .join(', ')}`,
      )
        .choices(Object.keys(recallRefusals))
        .makeOptionMandatory(),
    )
    .option('--text <text>', 'what the bank is told besides; at most 105 characters')
    .option('--json', 'print JSON')
    .action(async (id: string, options: JsonOption & { code: RecallRefusal; text?: string }) =>
      (await recalls()).refuseRecall(id, options),
    );
}

const recalls = () => import('./recalls.ts');
const claims = () => import('./claims.ts');
const debits = () => import('./debits.ts');

/** Loaded on demand: the queues take long to load, and every command would wait for them. */
const unmatched = () => import('./unmatched.ts');
