import { applications } from './applications/application-view.ts';
import { auditEntries } from './audit/audit-view.ts';
import { claims, debits } from './bank/debit-views.ts';
import { paymentFiles, payments } from './bank/payment-views.ts';
import { recalls } from './bank/recall-view.ts';
import { profiles } from './customers/profile-view.ts';
import { operators } from './operators/operator-view.ts';

/** Every list that operators read in the console and by a command. */
export const views = [debits, claims, recalls, payments, paymentFiles, profiles, applications, operators, auditEntries] as const;
