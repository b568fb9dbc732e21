import { type Command, Option } from 'commander';
import { matchUnmatched, repeatUnmatched, returnUnmatched, settleUnmatched } from '../../operations/bank/credits.ts';
import { acceptStatementGap, explain, recover, undoClaim } from '../../operations/bank/debits.ts';
import { unmatchedCredits } from '../../operations/bank/credit-view.ts';
import { claims, debits } from '../../operations/bank/debit-views.ts';
import { notBooked } from '../../operations/bank/not-booked.ts';
import { recalls } from '../../operations/bank/recall-view.ts';
import { statements } from '../../operations/bank/statement-view.ts';
import { acceptRecall, refuseRecall, undoAcceptedRecall } from '../../operations/bank/recalls.ts';
import { addVerb, addVerbOptions } from '../verbs/add-verb.ts';
import { addView } from '../views/add-view.ts';
import { acceptedText, matchedText, returnedText } from './decided-credits.ts';
import { renderSuspected } from './repeats.ts';
import { settleClaim } from './settle-claim.ts';
import { parseExplanation, parseSettlement } from './explanation.ts';

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
      `The credit ${credit} is taken back by the debit ${debit}. \`mintrail bank claims\` lists what was issued for it.`,
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
          'fee, interest or own (your own money), payment:ID (payment:ID,ID,fee when it is several with the fee that the bank added), return-of:CREDIT, reversal-of:CREDIT, which the bank took back, in full or in part (reversal-of:CREDIT,CREDIT when it took several back in one sum), or repeat-of:DEBIT, which was reported before, alone or in a sum (repeat-of:DEBIT,DEBIT when it is their sum)',
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
