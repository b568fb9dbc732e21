import type { AccountTables } from './tables/accounts.ts';
import type { BankTables } from './tables/bank.ts';
import type { BookTables } from './tables/book.ts';
import type { CustomerTables } from './tables/customers.ts';
import type { LaneTables } from './tables/lanes.ts';
import type { OperatorTables } from './tables/operators.ts';
import type { OrderTables } from './tables/orders.ts';
import type { RecoveryTables } from './tables/recovery.ts';
import type { RequestTables } from './tables/requests.ts';
import type { SafeTables } from './tables/safes.ts';
import type { WebhookTables } from './tables/webhooks.ts';

/** The ledger's tables as the migrations make them; a test compares the two. */
export interface LedgerTables
  extends
    AccountTables,
    BankTables,
    BookTables,
    CustomerTables,
    LaneTables,
    OperatorTables,
    OrderTables,
    RecoveryTables,
    RequestTables,
    SafeTables,
    WebhookTables {}
