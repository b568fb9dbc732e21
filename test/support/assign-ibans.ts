import { createIbanRange } from '../../src/bank/iban-range.ts';
import { approveIbans, assignIbanNumbers } from '../../src/ledger/customers/ibans.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';

const { compose } = createIbanRange({ bankIbanCountry: 'IS', bankIbanPrefix: '0159' });

/** The bank gives numbers to the IBANs that were requested. */
export async function assignIbans(ledger: Ledger): Promise<void> {
  await assignIbanNumbers(ledger, { compose, bic: 'MNTRIS22', limit: 100 });
  await approveIbans(ledger, 100);
}
