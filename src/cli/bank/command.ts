import { type Command, InvalidArgumentError, Option } from 'commander';
import { ownKinds, paymentsOf } from '../../ledger/bank/debits/unexplained-debits.ts';
import type { Settlement } from '../../ledger/bank/unmatched/settle-credit.ts';
import { matchUnmatched } from '../../operations/bank/unmatched/match.ts';
import { repeatUnmatched } from '../../operations/bank/unmatched/repeat.ts';
import { returnUnmatched } from '../../operations/bank/unmatched/return.ts';
import { settleUnmatched } from '../../operations/bank/unmatched/settle.ts';
import { acceptStatementGap, explain, recover, undoClaim, writeOff } from '../../operations/bank/debits.ts';
import { payerOf, type UnmatchedCredit, unmatchedCredits } from '../../operations/bank/credit-view.ts';
import { claims, debits } from '../../operations/bank/debit-views.ts';
import { notBooked } from '../../operations/bank/not-booked.ts';
import { recalls } from '../../operations/bank/recall-view.ts';
import { statements } from '../../operations/bank/statement-view.ts';
import { acceptRecall, refuseRecall, undoAcceptedRecall } from '../../operations/bank/recalls.ts';
import type { Verb } from '../../operations/verb.ts';
import { renderTable } from '../output.ts';
import { addVerb, addVerbOptions } from '../verbs/add-verb.ts';
import { carryOutVerb, type VerbOptions } from '../verbs/carry-out-verb.ts';
import { addView } from '../views/add-view.ts';
import { acceptedText, matchedText, returnedText } from './decided-credits.ts';

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

  addView(bank, statements);

  addVerb(bank, acceptStatementGap, { text: ({ id }) => `That no statement is missing before ${id} is accepted.` });
}

/** `mintrail bank unmatched`, `match`, `repeat`, `not-booked`, `return` and `settle`. */
function addCreditCommands(bank: Command): void {
  addView(bank, unmatchedCredits, { below: renderSuspected });

  addVerb(bank, matchUnmatched, { text: matchedText });
  addVerb(bank, repeatUnmatched, {
    text: ({ reference, of }) => `${reference} is the money of ${of.join(', ')}. Nothing is issued or returned for it.`,
  });

  addVerb(bank, notBooked, {
    text: ({ credit, debit }) =>
      credit === null
        ? `The debit ${debit} is undone. A payment of ours that it was is given back as one that came back.`
        : `The credit ${credit} is taken back by the debit ${debit}. \`mintrail bank claims\` lists what was issued for it.`,
  });
  addVerb(bank, returnUnmatched, { text: returnedText });
  addVerb(bank, settleUnmatched, {
    combined: [
      {
        option: new Option(
          '--as <what>',
          'own (your own money, such as a top-up or a refunded fee), difference:DEBIT, an unexplained debit that the bank undoes by it, or debit, money that left where the bank does not say which way it went',
        )
          .argParser(parseSettlement)
          .makeOptionMandatory(),
        fields: ['as', 'debit'],
      },
    ],
    text: ({ reference, settledAs, debit = '' }) =>
      settledAs === 'debit'
        ? `${reference} is a debit, which waits for \`mintrail bank explain\`.`
        : `${reference} is settled as ${settledAs === 'own' ? "the operator's own money" : `the money of the debit ${debit}`}.`,
  });
}

/** `mintrail bank debits` and `explain`. */
function addDebitCommands(bank: Command): void {
  addView(bank, debits);

  addVerb(bank, explain, {
    combined: [
      {
        option: new Option(
          '--as <what>',
          'fee, interest or own (your own money), payment:ID (payment:ID,ID,fee when it is several with the fee that the bank added), return-of:CREDIT, reversal-of:CREDIT, which the bank took back, in full or in part (reversal-of:CREDIT,CREDIT when it took several back in one sum), or repeat-of:DEBIT, which was reported before, alone or in a sum (repeat-of:DEBIT,DEBIT when it is their sum, repeat-of:DEBIT,fee when the bank added a fee)',
        )
          .argParser(parseExplanation)
          .makeOptionMandatory(),
        fields: ['as', 'of'],
      },
    ],
    text: ({ reference, amount, currency, as }) =>
      `${reference}, ${amount} ${currency.toUpperCase()}, is explained as ${(as as { as: string }).as}.`,
  });
}

/** `mintrail bank claims`. */
function addClaimCommands(bank: Command): void {
  const list = addView(bank, claims);

  const settling = list
    .command('settle')
    .description('end a claim: by a credit that makes it good, all or in part, or by writing off what is open')
    .argument(
      '<claim>',
      'reference of the claim in `mintrail bank claims`: that of its debit, with a number behind it where the debit took several credits back',
    )
    .option('--by <credit>', 'reference of the unmatched credit with which it is paid')
    .option('--write-off', "write it off, as the operator's loss")
    .option('--reason <text>', 'why it is written off; it is recorded');
  addVerbOptions(settling, recover).action(settleClaim);

  addVerb(list, undoClaim, {
    text: ({ debit, credits, isWaiting }) =>
      [
        ...credits.map(
          ({ credit, isUnmatched }) =>
            `The credit ${credit} ${isUnmatched ? 'is unmatched again: match or return it' : 'has no claim any more'}.`,
        ),
        isWaiting ? `The debit ${debit} waits for \`mintrail bank explain\`.` : `The debit ${debit} has ended.`,
      ].join('\n'),
  });
}

/** `mintrail bank recalls`. */
function addRecallCommands(bank: Command): void {
  const list = addView(bank, recalls);

  addVerb(list, acceptRecall, { text: acceptedText });
  addVerb(list, refuseRecall, {
    text: ({ id, code, file }) => `The recall ${id} is refused with ${code}: ${file} goes to the outbox.`,
  });
  addVerb(list, undoAcceptedRecall, { text: ({ credit }) => `The credit ${credit} is unmatched again: match or return it.` });
}

/** Reads what a debit was: the fields of the verb `bank.explain`. */
function parseExplanation(text: string): { as: string; of: readonly string[] } {
  if (ownKinds.some((kind) => kind === text)) return { as: text, of: [] };
  const colon = text.indexOf(':');
  const [as, named] = [text.slice(0, colon), text.slice(colon + 1)];
  if (as === 'payment' && paymentsOf(named.split(',')) !== undefined) return { as, of: named.split(',') };
  if (as === 'return-of' && named !== '') return { as, of: [named] };
  const references = referencesIn(named);
  if ((as === 'reversal-of' || as === 'repeat-of') && !references.includes('')) return { as, of: references };
  throw new InvalidArgumentError(
    'fee, interest, own, payment:ID[,ID...][,fee], return-of:CREDIT, reversal-of:CREDIT[,CREDIT...] or repeat-of:DEBIT[,DEBIT...][,fee]',
  );
}

/** References with commas between them. The bank's number in a reference may have a comma as well: what follows that begins with no account, and is not `fee`. */
function referencesIn(text: string): string[] {
  const hasAccount = /:|#[0-9a-f]{40}/.test(text);
  return text.split(hasAccount ? /,(?=fee$|[^,]*(?::|#[0-9a-f]{40}))/ : ',');
}

/** Reads what an unmatched credit is settled as: the fields of the verb `bank.settle`. */
function parseSettlement(text: string): { as: Settlement['as']; debit?: string } {
  if (text === 'own' || text === 'debit') return { as: text };
  const [, debit] = /^difference:(.+)$/.exec(text) ?? [];
  if (debit !== undefined) return { as: 'difference', debit };
  throw new InvalidArgumentError('own, difference:DEBIT or debit');
}

interface ClaimOptions extends VerbOptions {
  by?: string;
  writeOff?: true;
  reason?: string;
}

/** `mintrail bank claims settle`: the verb of the option. Throws what it throws, and CommanderError unless one of the two ways is named. */
async function settleClaim(claim: string, options: ClaimOptions, command: Command): Promise<void> {
  const { by, writeOff: isWrittenOff, reason } = options;
  if ((by === undefined) === (isWrittenOff === undefined))
    return command.error('error: name either --by CREDIT, or --write-off with --reason TEXT', { exitCode: 2 });
  if (by !== undefined && reason !== undefined)
    return command.error('error: --reason belongs to --write-off: the credit of --by is the reason', { exitCode: 2 });
  if (by !== undefined)
    return carryOutVerb(recover as unknown as Verb, { claim, credit: by }, options, {
      text: ({ rest }: { rest: string }) => `${by} makes the claim ${claim} good; ${rest === '0.00' ? 'nothing is' : `${rest} are`} open.`,
    });
  await carryOutVerb(writeOff as unknown as Verb, { claim, reason }, options, {
    text: ({ rest }: { rest: string }) => `${rest} of the claim ${claim} are written off.`,
  });
}

/** Each suspected repeat above the credit that it may repeat; nothing without one. */
function renderSuspected(credits: readonly UnmatchedCredit[]): string | undefined {
  const pairs = credits.flatMap((credit) => (credit.repeats === null ? [] : [{ credit, recorded: credit.repeats }]));
  if (pairs.length === 0) return undefined;
  const rows = pairs.flatMap(({ credit, recorded }) => [
    Array.from({ length: 8 }, () => ''),
    sideOf(credit, 'waits'),
    sideOf(recorded, recorded.orderId === null ? recorded.state : `order ${recorded.orderId}`),
  ]);
  return [
    'Suspected repeats, each above the credit whose money it may be. Ask the bank how many payments it booked. Other money becomes an order by',
    '`mintrail bank match`, the same money ends by `mintrail bank repeat`.',
    renderTable(['reference', 'file', 'day', 'amount', 'payer', 'EndToEndId', 'UETR', 'became'], rows.slice(1)),
  ].join('\n');
}

type Side = Pick<UnmatchedCredit, 'reference' | 'source' | 'bookedOn' | 'amount' | 'currency' | 'payer' | 'endToEndId' | 'uetr'>;

function sideOf(side: Side & { amountText?: string | null }, end: string): string[] {
  const { reference, source, bookedOn, amount, amountText, currency, payer, endToEndId, uetr } = side;
  const money = `${amount ?? amountText ?? ''} ${currency?.toUpperCase() ?? ''}`.trim();
  return [reference, source, bookedOn ?? '', money, payerOf(payer), endToEndId ?? '', uetr ?? '', end];
}
