import { payeeProblem } from './payee.ts';
import type { PaymentPlan, Rail } from './rail.ts';

/** Payees that the sandbox's bank treats differently. Valid IBANs of a German bank code that no bank has. */
export const sandboxPayees = {
  /** Payments to it are refused: the account is closed. */
  refused: 'DE33100000000000000404',
  /** Payments to it stay with the bank until they are rejected by hand (`POST /sandbox/payouts/{id}/reject`). */
  slow: 'DE39100000000000000102',
};

/** The rail of a simulated bank, which carries out every payment at once, except those to `sandboxPayees`. */
export function createSandboxRail(): Rail {
  return {
    name: 'sandbox',
    limit: 500,
    collectSeconds: 0,
    plan(payments) {
      const plan: PaymentPlan = { accepted: [], refused: [], sent: [] };
      for (const { id, creditorIban } of payments) {
        const problem =
          creditorIban === sandboxPayees.refused
            ? 'AC04 closed account number: the sandbox refuses this payee'
            : payeeProblem(creditorIban);
        if (problem !== undefined) plan.refused.push({ id, reason: problem });
        else if (creditorIban === sandboxPayees.slow) plan.sent.push(id);
        else plan.accepted.push(id);
      }
      return plan;
    },
    async deliver() {},
  };
}
