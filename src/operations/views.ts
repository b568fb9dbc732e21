import { applications } from './applications/application-view.ts';
import { auditEntries } from './audit/audit-view.ts';
import { unmatchedCredits } from './bank/credit-view.ts';
import { claims, debits } from './bank/debit-views.ts';
import { paymentFiles, payments } from './bank/payment-views.ts';
import { recalls } from './bank/recall-view.ts';
import { profiles } from './customers/profile-view.ts';
import { operators } from './operators/operator-view.ts';
import { comparisons } from './reserve/comparison-view.ts';
import { deliveries } from './webhooks/delivery-view.ts';

/** Every list that operators read in the console and by a command. */
export const views = [
  unmatchedCredits,
  debits,
  claims,
  recalls,
  payments,
  paymentFiles,
  profiles,
  deliveries,
  comparisons,
  applications,
  operators,
  auditEntries,
] as const;
