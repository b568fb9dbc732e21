import type { AccountDay } from '../../ledger/book/closing.ts';
import { readDayClosing, renderClosingCsv, type Safeguarding } from '../../ledger/book/safeguarding.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { formatAmount } from '../../platform/money.ts';

/** The closing of a day as both doors have it. */
export async function readClosing(ledger: Ledger, of: string) {
  const { day, isOver, safeguarding, accounts } = await readDayClosing(ledger, of);
  return { day, isOver, safeguarding: safeguarding.map(safeguardingRow), accounts: accounts.map(accountRow) };
}

/** The movements of a day as CSV. */
export async function readClosingCsv(ledger: Ledger, day: string): Promise<string> {
  return renderClosingCsv(await readDayClosing(ledger, day));
}

function safeguardingRow({ currency, tokens, otherLiabilities, bank, differences, claims, surplus, trialBalance }: Safeguarding) {
  return {
    currency,
    tokens: formatAmount(tokens),
    otherLiabilities: formatAmount(otherLiabilities),
    bank: formatAmount(bank),
    differences: formatAmount(differences),
    claims: formatAmount(claims),
    surplus: formatAmount(surplus),
    isMissing: surplus < 0n,
    trialBalance: formatAmount(trialBalance),
    isBalanced: trialBalance === 0n,
  };
}

function accountRow({ account, currency, opening, debited, credited, closing }: AccountDay) {
  return {
    account,
    currency,
    opening: formatAmount(opening),
    debited: formatAmount(debited),
    credited: formatAmount(credited),
    closing: formatAmount(closing),
  };
}
