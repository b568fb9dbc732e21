import type { Ledger } from '../ledger/ledger.ts';
import { countOpenApprovals } from '../ledger/operators/approvals.ts';
import type { Problem } from './problem.ts';

/** What waits for a second person in the console, or was approved and not carried out to the end. */
export async function approvalWarnings(ledger: Ledger): Promise<Problem[]> {
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
