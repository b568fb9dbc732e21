import type { PaymentPlan, Rail } from './rail.ts';
import type { BankTerms } from './payment-problem.ts';
import { refusalOfPayment } from './payment-rules.ts';

/** Payees that the sandbox's bank treats differently. Valid IBANs of a German bank code that no bank has. */
export const sandboxPayees = {
  /** Payments to it are refused: the account is closed. */
  refused: 'DE33100000000000000404',
  /** Payments to it stay with the bank until they are rejected by hand (`POST /sandbox/payouts/{id}/reject`). */
  slow: 'DE39100000000000000102',
};

/** The rail of a simulated bank, which carries out at once every payment that a bank could, except those to `sandboxPayees`. */
export function createSandboxRail(terms: BankTerms = { paymentLimits: {}, addressParts: {} }): Rail {
  return {
    name: 'sandbox',
    limit: 500,
    collectSeconds: 0,
    plan(payments) {
      const plan: PaymentPlan = { accepted: [], refused: [], sent: [] };
      for (const payment of payments) {
        const { id, creditorIban } = payment;
        const problem =
          creditorIban === sandboxPayees.refused
            ? 'AC04 closed account number: the sandbox refuses this payee'
            : refusalOfPayment(payment, terms);
        if (problem !== undefined) plan.refused.push({ id, reason: problem });
        else if (creditorIban === sandboxPayees.slow) plan.sent.push(id);
        else plan.accepted.push(id);
      }
      return plan;
    },
    date: (content) => content,
    async deliver() {},
    isReachable: async () => true,
  };
}
