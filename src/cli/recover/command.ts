import type { Command } from 'commander';
import type { RecoveryReport } from '../../ledger/recovery/recover.ts';
import type { OpenOutcome } from '../../ledger/recovery/unrecorded-outcomes.ts';
import {
  acceptOutcomeVerb,
  applyRecovery,
  beginRecoveryVerb,
  carryOutRecovery,
  recovered,
  reportJson,
  setAsideVerb,
} from '../../operations/recovery/recovery.ts';
import type { Verb, VerbContext } from '../../operations/verb.ts';
import { formatAmount } from '../../platform/money.ts';
import { cliSettings } from '../cli-settings.ts';
import { operatorName } from '../operator.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { exitCodes } from '../render-error.ts';
import { addVerb, addVerbOptions } from '../verbs/add-verb.ts';
import { carryOutVerb, type VerbOptions } from '../verbs/carry-out-verb.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail recover`. */
export function addRecoverCommand(program: Command): void {
  const recover = program
    .command('recover')
    .description(
      'show what a ledger that was restored from a back-up has lost and what of it can be rebuilt; with --apply, rebuild it. Exit code 1 while something is unexplained',
    )
    .option('--apply', 'do it, all of it or nothing; it may be repeated');
  addVerbOptions(recover, applyRecovery).action(recoverLedger);

  addVerb(recover, beginRecoveryVerb, { text: () => 'No payment leaves until `mintrail recover --apply` has ended the recovery.' });
  addVerb(recover, acceptOutcomeVerb, { text: ({ outcome }) => `${outcome} is its order's. Run \`mintrail recover --apply\`.` });
  addVerb(recover, setAsideVerb, {
    text: ({ ids, outcomes, payments }) => `${outcomes + payments} of ${ids.length} outcomes are set aside.`,
  });
}

interface RecoverCommandOptions extends VerbOptions {
  apply?: boolean;
}

/** `mintrail recover`. Throws what `mintrail reconcile` throws, after it has done its work. */
async function recoverLedger(options: RecoverCommandOptions): Promise<void> {
  if (options.apply === true) return applyByCommand(options);
  const { json = false } = options;
  const report = await withLedger((ledger) => recovered({ ledger, settings: cliSettings(), operator: { name: operatorName() } }, false));
  print(json ? renderJson(reportJson(report)) : renderReport(report));
  if (!report.isExplained) process.exitCode = exitCodes.failed;
}

/** Carries out the verb, and shows all that came of it: a result of the console is JSON. */
async function applyByCommand(options: VerbOptions): Promise<void> {
  let report: RecoveryReport | undefined;
  const carryOut = async (context: VerbContext) => void (report = await carryOutRecovery(context));
  await carryOutVerb({ ...(applyRecovery as unknown as Verb), carryOut }, {}, options, {
    text: () => renderReport(report as RecoveryReport),
    json: () => report && reportJson(report),
  });
  if (report === undefined) return;
  if (!report.isEnded) process.exitCode = exitCodes.failed;
  if (options.json === true) return;
  print('');
  await reconcile(false);
}

function renderReport(report: RecoveryReport): string {
  const { isApplied, recovery, legs, rebuilt, givenBack, payments, booked, open, openCount, uncompared, lost, isEnded } = report;
  const verb = isApplied ? 'done' : 'to do, with --apply';
  const changes = [
    ...(legs > 0 ? [`${legs} legs that the chains have carried out are ended`] : []),
    ...(rebuilt > 0 ? [`${rebuilt} redemptions to other chains are placed again`] : []),
    ...(givenBack > 0 ? [`${givenBack} payouts whose tokens were given back are refused`] : []),
    ...(booked > 0 ? [`${booked} payments that the bank has booked are accepted`] : []),
    ...(payments > 0 ? [`${payments} payments are made of legs that are due`] : []),
  ];
  const state = [
    ...(recovery === undefined
      ? []
      : [`A recovery is open since ${recovery.beganAt.toISOString()}, begun by ${recovery.beganBy}: no payment leaves.`]),
    ...changes.map((change) => `${verb}: ${change}`),
    ...open.map((outcome) => `unexplained: ${describe(outcome)}`),
    ...describeLost(lost),
    ...uncompared.map(
      (chain) =>
        `not compared: ${chain}. Its log was not compared with the ledger since the recovery began. Remedy: start \`mintrail indexer --chain ${chain}\` and \`mintrail worker --chain ${chain}\`, wait until \`mintrail status\` shows that they follow the chain, and run this again`,
    ),
    ...(openCount > open.length ? [`and ${openCount - open.length} more`] : []),
  ];
  if (openCount > 0)
    return [
      ...state,
      `\n${openCount} outcomes are unexplained. Their currencies are not issued on their chains, and no payment leaves.`,
    ].join('\n');
  if (lost.debits.length + lost.statuses.length > 0)
    return [
      ...state,
      '\nNo payment leaves, because the bank reports payments that this ledger has lost: they may be made a second time.',
    ].join('\n');
  if (uncompared.length > 0)
    return [...state, '\nNo payment leaves, because the log of a chain may have outcomes that this ledger does not know.'].join('\n');
  if (recovery === undefined) return [...state, 'Nothing is unexplained, and no recovery is open.'].join('\n');
  const end =
    isApplied && isEnded
      ? 'The recovery has ended: payments leave again.'
      : "With --apply the recovery ends, and payments leave again. Import the bank's files up to now first.";
  return [...state, `Nothing is unexplained. ${end}`].join('\n');
}

function describeLost({ debits, statuses }: RecoveryReport['lost']): string[] {
  const again =
    "import the file with the credit of the return, or do again what made it (`mintrail bank return`; a payout: its holder's order)";
  return [
    ...debits.map(
      ({ reference, endToEndId, amount, currency, bookedOn }) =>
        `unexplained: the bank has paid ${formatAmount(amount)} ${currency.toUpperCase()} on ${bookedOn} (debit ${reference}) under ${endToEndId}, an id of a lost payment. Remedy: ${again}; if it is none of this ledger's, \`mintrail bank explain ${reference} --as own --reason TEXT\``,
    ),
    ...statuses.map(
      ({ payment, code, reason }) =>
        `unexplained: the bank reports ${[code, reason].filter((text) => text !== '').join(', ')} of the lost payment ${payment}. Remedy: ${again}; if it is none of this ledger's, \`mintrail recover set-aside ${payment} --reason TEXT\``,
    ),
  ];
}

function describe(outcome: OpenOutcome): string {
  const { id, chain, kind, currency, amount, account, orderId, txHash, blockNumber, refused } = outcome;
  const money = `${formatAmount(amount)} ${currency.toUpperCase()}`;
  const where = `on ${chain} in transaction ${txHash} (block ${blockNumber})`;
  const remedy = kind === 'issue' ? issueRemedy(outcome) : `its holder places the order again, with the same message and signature`;
  const what = kind === 'issue' ? (refused === null ? 'issued to' : 'refused to') : 'burnt of';
  return `${id}: ${money} ${what} ${account} ${where}, order ${orderId}. Remedy: ${remedy}; if it is nobody's order, \`mintrail recover set-aside ${id} --reason TEXT\``;
}

/** What an operator does about an issue that nothing explains. */
function issueRemedy({ id, chain, account, amount, order, sameIssue, sentPayout }: OpenOutcome): string {
  if (sentPayout !== null)
    return `THE PAYOUT ${sentPayout} IS WITH THE BANK ALTHOUGH ITS TOKENS WERE GIVEN BACK. Ask the bank to stop it: if it never carries it out, import its status report or \`mintrail payments reject ${sentPayout} REASON\`; if it does, claim the money from the payee`;
  if (order === null && sameIssue !== null)
    return `the order ${sameIssue.orderId} waits for the same amount to the same account: if the bank has reported its credit under another reference too, import that file (\`mintrail bank repeat\` for a suspected repeat), or \`mintrail recover accept ${id} --order ${sameIssue.orderId}\``;
  if (order === null) return "import the bank's file with its credit, or match the credit (`mintrail bank unmatched`)";
  const about = `the order is over ${formatAmount(order.amount)} to ${order.account} on ${order.chain}`;
  if (order.amount !== amount) return `${about}: it is not this issue`;
  if (order.account !== account || order.chain !== chain)
    return `${about}: if its holder chose the other account, \`mintrail recover accept ${id}\``;
  return `${about}, and is under way or has ended by another transaction: see \`mintrail trace\``;
}
