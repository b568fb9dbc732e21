import { applications } from './applications/application-view.ts';
import { auditEntries } from './audit/audit-view.ts';
import { unmatchedCredits } from './bank/credit-view.ts';
import { claims, debits } from './bank/debit-views.ts';
import { paymentFiles, payments } from './bank/payment-views.ts';
import { recalls } from './bank/recall-view.ts';
import { statements } from './bank/statement-view.ts';
import { profiles } from './customers/profile-view.ts';
import { operators } from './operators/operator-view.ts';
import { orders } from './orders/order-view.ts';
import { comparisons } from './reserve/comparison-view.ts';
import { deliveries } from './webhooks/delivery-view.ts';
import { subscriptions } from './webhooks/subscription-view.ts';

/** Every list that operators read in the console and by a command. */
export const views = [
  orders,
  unmatchedCredits,
  debits,
  claims,
  recalls,
  statements,
  payments,
  paymentFiles,
  profiles,
  subscriptions,
  deliveries,
  comparisons,
  applications,
  operators,
  auditEntries,
] as const;
