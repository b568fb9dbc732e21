import { createTestConsole } from '../console/support/test-console.ts';
import { createPaymentsLedger } from '../ledger/bank/payments-ledger.ts';

/** A console with `FOUR_EYES` over a ledger with one customer: who asks for something, and who approves it. For `isBooked` see the `close` of the ledger. */
export async function createTwoOperators({ isBooked = true } = {}) {
  const payments = await createPaymentsLedger();
  const console = await createTestConsole({ env: { FOUR_EYES: 'yes', CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}` }, url: payments.url });
  return {
    payments,
    console,
    asker: await console.signedIn('administrator'),
    second: await console.signedIn('administrator'),
    async close() {
      await console.close();
      await payments.close({ isBooked });
    },
  };
}
