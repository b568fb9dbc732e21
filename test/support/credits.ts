import { randomUUID } from 'node:crypto';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import type { NewCredit } from '../../src/ledger/bank/match-credits.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Chain } from '../../src/platform/chains.ts';
import { minorUnits } from '../../src/platform/money.ts';

/** A bank credit of minor units to an IBAN. Its payer has none, so that nothing is returned to them. */
export function creditTo(iban: string, amount: bigint, changes: Partial<NewCredit> = {}): NewCredit {
  const payer = { name: 'Jón' };
  return { reference: randomUUID(), bankAccount: 'sandbox', iban, currency: 'eur', amount: minorUnits(amount), payer, ...changes };
}

/** Records credits, which are issued on the chain. Returns the ids of their orders. */
export async function issueCredits(ledger: Ledger, credits: NewCredit[], chain: Chain = 'chiado'): Promise<string[]> {
  const tokens = credits.map(({ currency }) => `${chain}:${currency}`);
  const recorded = await recordCredits(ledger, credits, { source: 'test', defaultMemo: 'memo', tokens });
  return recorded.map(({ orderId }) => orderId as string);
}
