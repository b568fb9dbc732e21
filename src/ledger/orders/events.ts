import { type RawBuilder, sql } from 'kysely';
import { minorUnits } from '../../platform/money.ts';
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
>;

/** Why a profile was not approved, field by field (docs/api.md, Events). */
export interface ProfileErrors {
  id: string;
  kind: string;
  errors: { field: string; reason: string }[];
}

/** An event that subscribers receive: its subject as it was at that time (docs/api.md, Events). */
export type LedgerEvent = { id: string; createdAt: Date } & (
  | { type: 'order.created' | 'order.updated'; data: OrderFacts }
  | { type: 'iban.updated'; data: Iban }
  | { type: 'profile.updated'; data: ProfileView }
  | { type: 'profile.error'; data: ProfileErrors }
);

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
  if (type === 'order.created' || type === 'order.updated') return { id, type, createdAt, data: orderOf(data as unknown as OrderData) };
  return { id, type, createdAt, data } as unknown as LedgerEvent;
}

/**
 * {@link OrderFacts} as an event keeps them, in JSON: written by the function `order_event_data` of src/schema/orders.sql alone.
 */
type OrderData = Omit<OrderFacts, 'amount' | 'placedAt' | 'processedAt'> & {
  amount: string;
  placedAt: string;
  processedAt: string | null;
};

function orderOf({ amount, placedAt, processedAt, ...rest }: OrderData): OrderFacts {
  return {
    ...rest,
    amount: minorUnits(BigInt(amount)),
    placedAt: new Date(placedAt),
    processedAt: processedAt === null ? null : new Date(processedAt),
  };
}
