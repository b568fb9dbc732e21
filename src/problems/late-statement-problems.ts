import { lateStatements } from '../ledger/bank/statements/statement-queries.ts';
import { networksSince } from '../ledger/lanes/networks.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { settingVariable, type Settings } from '../platform/settings.ts';
import { bankDaysBefore } from './bounds.ts';
import type { Problem } from './problem.ts';

/** The settings from which late statements follow. */
export type StatementSettings = Pick<Settings, 'bankRail' | 'bankAccounts' | 'warnAt'>;

/** Accounts of which no statement has come for longer than it may. */
export async function lateStatementProblems(ledger: Ledger, settings: StatementSettings, now: Date): Promise<Problem[]> {
  if (settings.bankRail !== 'iso20022') return [];
  const before = bankDaysBefore(now, settings.warnAt.statementDays);
  const [late, since] = await Promise.all([lateStatements(ledger, settings.bankAccounts, before), networksSince(ledger)]);
  const begun = [...since.values()].toSorted((a, b) => a.getTime() - b.getTime())[0];
  return late.flatMap(({ account, closedOn }) => {
    const last = closedOn === null ? begun : new Date(closedOn);
    if (last === undefined || last > before) return [];
    const what = closedOn === null ? 'has ever come' : `has come since that of ${closedOn}`;
    const text = `no statement of the account ${account} ${what}: see whether the bank still sends them and whether they arrive in ${settingVariable('bankInbox')}, or import them (\`mintrail bank import FILE\`). Credits are not recorded, and nobody compares the bank's balance with the book`;
    return [{ kind: 'statements_late', chain: '', subject: account, since: last, text }];
  });
}
