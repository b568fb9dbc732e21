import { type RawBuilder, sql } from 'kysely';
import { minorUnits } from '../../platform/money.ts';
import type { HoldReason } from '../../schema/states.ts';
import type { Iban } from '../customers/ibans.ts';
import type { Order } from './orders-in-state.ts';
import type { ProfileView } from '../customers/profile-sections.ts';

/** What an answer or an event shows of an order. */
export type OrderFacts = Pick<
  Order,
  | 'id'
  | 'kind'
  | 'profile'
  | 'address'
  | 'chain'
  | 'currency'
  | 'amount'
  | 'counterpart'
  | 'memo'
  | 'referenceNumber'
  | 'state'
  | 'placedAt'
  | 'processedAt'
  | 'rejectedReason'
  | 'supportingDocument'
  | 'txHashes'
  | 'givesBack'
  | 'heldFor'
  | 'heldUntil'
>;

const holdTexts: Record<HoldReason, string> = {
  gas_budget: 'What orders of this profile may cost in a day on the network is used up: it goes on when the next day begins (UTC)',
  dust: 'It is a small amount, and waits to share a transaction with others',
};

/** Why an order is held, as its holder reads it. */
export function holdText(reason: HoldReason | null): string {
  return reason === null ? '' : holdTexts[reason];
}

/** SQL: the same of a column. */
export function holdTextOf(column: RawBuilder<unknown>): RawBuilder<string> {
  return sql`case ${column} when 'gas_budget' then ${holdTexts.gas_budget} else ${holdTexts.dust} end`;
}

/** Why a profile was not approved, field by field (docs/api.md, Events). */
interface ProfileErrors {
  id: string;
  kind: string;
  errors: { field: string; reason: string }[];
}

/** An event: its subject as it was at that time (docs/api.md, Events). Of `order.held` only readers of the order stream learn. */
export type LedgerEvent = { id: string; createdAt: Date } & (
  | { type: OrderEventType; data: OrderFacts }
  | { type: 'iban.updated'; data: Iban }
  | { type: 'profile.updated'; data: ProfileView }
  | { type: 'profile.error'; data: ProfileErrors }
);

const orderEventTypes = ['order.created', 'order.held', 'order.updated'] as const;
type OrderEventType = (typeof orderEventTypes)[number];

/** The types of events that subscribers are sent (docs/api.md, Webhooks). */
export const eventTypes = ['iban.updated', 'order.created', 'order.updated', 'profile.error', 'profile.updated'] as const;
/** A type of event that subscribers are sent. */
export type EventType = (typeof eventTypes)[number];

/** A row of `events` as {@link eventColumns} selects it. */
export interface EventRow {
  id: string;
  type: string;
  createdAt: Date;
  data: Record<string, unknown>;
}

/** The columns of an {@link EventRow}, of the table `events` under its name or an alias. */
export function eventColumns(table: string): RawBuilder<unknown> {
  return sql.join(['id', 'type', 'createdAt', 'data'].map((column) => sql.ref(`${table}.${column}`)));
}

/** Reads an event from its row. */
export function eventOf({ id, type, createdAt, data }: EventRow): LedgerEvent {
  const orderType = orderEventTypes.find((known) => known === type);
  if (orderType !== undefined) return { id, type: orderType, createdAt, data: orderOf(data as unknown as OrderData) };
  return { id, type, createdAt, data } as unknown as LedgerEvent;
}

/**
 * {@link OrderFacts} as an event keeps them, in JSON: written by the function `order_event_data` of src/schema/orders.sql alone.
 */
type OrderData = Omit<OrderFacts, 'amount' | 'placedAt' | 'processedAt' | 'heldUntil'> & {
  amount: string;
  placedAt: string;
  processedAt: string | null;
  heldUntil: string | null;
};

function orderOf({ amount, placedAt, processedAt, heldUntil, ...rest }: OrderData): OrderFacts {
  return {
    ...rest,
    amount: minorUnits(BigInt(amount)),
    placedAt: new Date(placedAt),
    processedAt: processedAt === null ? null : new Date(processedAt),
    heldUntil: heldUntil ? new Date(heldUntil) : null,
  };
}
