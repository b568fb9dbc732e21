import type { Selectable } from 'kysely';
import type { LedgerTables } from './tables.ts';
import type { LedgerViews } from './views.ts';

/** The values of a column, as its check in `src/schema/` lists them. */
type Values<Table extends keyof LedgerTables, Column extends keyof Selectable<LedgerTables[Table]>> = Selectable<
  LedgerTables[Table]
>[Column];

/** What was done when a password was stored. */
export type PasswordOrigin = Values<'passwords', 'setBy'>;
/** What an operator may do in the console: see; decide about customers; handle money; everything (docs/console.md, Roles). */
export type OperatorRole = Values<'operators', 'role'>;
/** The state of an approval (docs/console.md, Actions). */
export type ApprovalState = Values<'approvals', 'state'>;
/** What somebody got wrong who wanted to sign in. */
export type SignInFactor = Values<'signInFailures', 'factor'>;
/** Whether a profile is that of a person or of a company. */
export type ProfileKind = Values<'profiles', 'kind'>;
/** The state of a profile (docs/api.md, Profiles). */
export type ProfileState = Values<'profiles', 'state'>;
/** State of the details, the form or a verification of a profile. */
export type SectionState = Values<'profileSections', 'state'>;
/** The state of an order; `processed` and `rejected` are final (docs/transitions.md, Orders). */
export type OrderState = Values<'orders', 'state'>;
/** The movement of a leg: `issue` and `redeem` happen on a chain, `payout` at the bank or as a dependent order, `return` at the bank. */
export type LegKind = Values<'legHistory', 'kind'>;
/** The state of a leg; `waiting` for a signature or an earlier leg, `ready` to be sent, `void` because the leg before it was refused. */
export type LegState = Selectable<LedgerViews['legs']>['state'];
/** Why a leg is held although it is ready: its profile's gas budget is used up, or it is dust, which waits to share a transaction. */
export type HoldReason = NonNullable<Values<'openLegs', 'heldFor'>>;
/** Whose signature authorises a leg: that of the account's key, that of its contract, or none. */
export type LegSigner = Values<'legHistory', 'signedBy'>;
/**
 * The state of a credit; `replaced` by the transactions it consists of, which a later report lists; `settled` when it is neither an order nor
 * a return; `repeated` when it is another report of a recorded credit; `reversed` when the bank took it back before it was an order or a return.
 */
export type CreditState = Values<'credits', 'state'>;
/** The state of a payment; `returned` when its money came back after the bank had carried it out. `refused` and `returned` are final. */
export type PaymentState = Values<'payments', 'state'>;
/** The state of a webhook delivery; only a `pending` one is attempted. */
export type DeliveryState = Values<'webhookDeliveries', 'state'>;
/**
 * The state of a Safe's transaction: `open` until the Safe has used its nonce; `scheduled` waits in a timelock; `replaced` lost its nonce to another
 * transaction; `cancelled` was taken out of the timelock; `withdrawn` is no longer offered for signing.
 */
export type SafeTransactionState = Values<'safeTransactions', 'state'>;
