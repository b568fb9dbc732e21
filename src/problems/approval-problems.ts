import type { Ledger } from '../ledger/ledger.ts';
import { actsAlone } from '../ledger/operators/acts-alone.ts';
import { countOpenApprovals } from '../ledger/operators/approvals.ts';
import { bankDaysBefore } from './bounds.ts';
import type { Problem } from './problem.ts';

/** What waits for a second person or was approved and not carried out to the end, and what was done without one. */
export async function approvalProblems(ledger: Ledger, now = new Date()): Promise<Problem[]> {
  return [...(await waitingApprovals(ledger)), ...(await lonelyActs(ledger, now))];
}

/** Working days for which it is shown: on the second it is overdue. */
const shownDays = 2;

/** What was done lately without the second person that it takes. */
async function lonelyActs(ledger: Ledger, now: Date): Promise<Problem[]> {
  const alone = await actsAlone(ledger, bankDaysBefore(now, shownDays));
  if (alone === undefined) return [];
  const { count, since, actor, verb } = alone;
  const times = count === 1 ? '' : `, the latest of ${count} within two working days`;
  const text = `${actor} did ${verb} without the second person that it takes${times}: \`mintrail audit --action operation.alone\` has the reasons. See that they hold`;
  return [{ kind: 'acted_alone', chain: '', subject: 'operations', since, text }];
}

async function waitingApprovals(ledger: Ledger): Promise<Problem[]> {
  const { waiting, interrupted, since } = await countOpenApprovals(ledger);
  if (since === null) return [];
  const parts = [
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? 'request waits' : 'requests wait'} for a second person`] : []),
    ...(interrupted > 0
      ? [`${interrupted} that ${interrupted === 1 ? 'is' : 'are'} approved ${interrupted === 1 ? 'was' : 'were'} interrupted`]
      : []),
  ];
  const text = `${parts.join(', and ')}: decide about them, or carry them out again, on the page Approvals of the console`;
  return [{ kind: 'approvals_waiting', chain: '', subject: 'approvals', since, text }];
}
