import { skipIbanNumbers } from '../../ledger/customers/ibans.ts';
import { recover, type RecoveryReport } from '../../ledger/recovery/recover.ts';
import { beginRecovery } from '../../ledger/recoveries.ts';
import { setStatusesAside } from '../../ledger/bank/unknown-statuses.ts';
import { acceptOutcome, setOutcomesAside } from '../../ledger/recovery/decide-outcomes.ts';
import type { OpenOutcome } from '../../ledger/recovery/unrecorded-outcomes.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount } from '../../platform/money.ts';
import { defaultMemo } from '../../platform/settings.ts';
import { isUuid } from '../../platform/uuid.ts';
import { cliSettings } from '../cli-settings.ts';
import { operatorName } from '../operator.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { exitCodes } from '../render-error.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail recover`. Throws what `mintrail reconcile` throws, after it has done its work. */
export async function recoverLedger({ apply, json }: { apply: boolean; json: boolean }): Promise<void> {
  const settings = cliSettings();
  const chains = Object.values(settings.networks).map(({ chain }) => chain);
  const options = { apply, operator: operatorName(), chains, defaultMemo: defaultMemo(settings) };
  const report = await withLedger((ledger) => recover(ledger, options));
  print(json ? renderJson({ ...report, open: report.open.map(outcomeJson) }) : renderReport(report));
  if (apply ? !report.isEnded : !report.isExplained) process.exitCode = exitCodes.failed;
  if (json || !apply) return;
  print('');
  await reconcile(false);
}

/** `mintrail recover begin`. */
export async function begin(skippedIbans: number, json: boolean): Promise<void> {
  const isNew = await withLedger(async (ledger) => {
    const begun = await beginRecovery(ledger, operatorName());
    await skipIbanNumbers(ledger, skippedIbans);
    return begun;
  });
  if (json) return print(renderJson({ begun: isNew, skippedIbans }));
  print('No payment leaves until `mintrail recover --apply` has ended the recovery.');
}

/** `mintrail recover accept`. Throws `not_possible`. */
export async function accept(id: string, { order, json = false }: { order?: string; json?: boolean }): Promise<void> {
  requireIds([id]);
  if (order !== undefined && !isUuid(order)) throw new StopError({ code: 'not_possible', message: `${order} is not the id of an order` });
  await withLedger((ledger) => acceptOutcome(ledger, id, order));
  if (json) return print(renderJson({ outcome: id, order: order ?? null, state: 'accepted' }));
  print(`${id} is its order's. Run \`mintrail recover --apply\`.`);
}

/** `mintrail recover set-aside`. Throws `not_possible`. */
export async function setAside(ids: readonly string[], { reason, json = false }: { reason: string; json?: boolean }): Promise<void> {
  requireIds(ids);
  const operator = operatorName();
  const [outcomes, statuses] = await withLedger(async (ledger) => [
    await setOutcomesAside(ledger, ids, reason, operator),
    await setStatusesAside(ledger, ids, reason, operator),
  ]);
  if (json) return print(renderJson({ ids, outcomes, payments: statuses, reason }));
  print(`${outcomes + statuses} of ${ids.length} outcomes are set aside.`);
}

function outcomeJson({ amount, order, ...outcome }: OpenOutcome) {
  return { ...outcome, amount: formatAmount(amount), order: order && { ...order, amount: formatAmount(order.amount) } };
}

function requireIds(ids: readonly string[]): void {
  const wrong = ids.find((id) => !isUuid(id));
  if (wrong === undefined) return;
  throw new StopError({ code: 'not_possible', message: `${wrong} is not the id of an outcome: see \`mintrail recover\`` });
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
