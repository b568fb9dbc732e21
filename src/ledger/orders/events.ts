import { type RawBuilder, sql } from 'kysely';
import type { Iban } from '../customers/ibans.ts';
import type { Order } from './orders.ts';
import type { ProfileView } from '../customers/profile-sections.ts';

/** The facts of an order that an answer or an event shows. */
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
>;

/** Why a profile was not approved, field by field (docs/api.md, Events). */
export interface ProfileErrors {
  id: string;
  kind: string;
  errors: { field: string; reason: string }[];
}

/** What happened to one subject, as it was at that moment (docs/api.md, Events). */
export type LedgerEvent = { id: string; createdAt: Date } & (
  | { type: 'order.created' | 'order.updated'; data: OrderFacts }
  | { type: 'iban.updated'; data: Iban }
  | { type: 'profile.updated'; data: ProfileView }
  | { type: 'profile.error'; data: ProfileErrors }
);

export const eventTypes = ['iban.updated', 'order.created', 'order.updated', 'profile.error', 'profile.updated'] as const;
export type EventType = (typeof eventTypes)[number];

/** An event's row as `eventColumns` selects it. */
export interface EventRow {
  id: string;
  type: string;
  createdAt: Date;
  data: Record<string, unknown>;
}

/** What `eventOf` needs of a row of `events`, under that table's name or alias. The amount becomes text: a JavaScript number would round it. */
export function eventColumns(table: string): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const data = column('data');
  return sql`${column('id')}, ${column('type')}, ${column('createdAt')},
    case when ${data} ? 'amount' then ${data} || jsonb_build_object('amount', ${data} ->> 'amount') else ${data} end as data`;
}

/** Reads an event from its row. */
export function eventOf({ id, type, createdAt, data }: EventRow): LedgerEvent {
  if (type === 'order.created' || type === 'order.updated') return { id, type, createdAt, data: orderOf(data) };
  if (type === 'iban.updated') return { id, type, createdAt, data: ibanOf(data) };
  return { id, type, createdAt, data } as unknown as LedgerEvent;
}

function orderOf(row: Record<string, unknown>): OrderFacts {
  const { id, kind, profile, address, chain, currency, counterpart, memo, state } = row as unknown as OrderFacts;
  const { amount, reference_number, placed_at, processed_at, rejected_reason, supporting_document, tx_hashes } = row as Record<
    string,
    string
  >;
  return {
    id,
    kind,
    profile,
    address,
    chain,
    currency,
    counterpart,
    memo,
    state,
    amount: BigInt(amount as string),
    referenceNumber: reference_number ?? null,
    placedAt: new Date(placed_at as string),
    processedAt: processed_at ? new Date(processed_at) : null,
    rejectedReason: rejected_reason ?? null,
    supportingDocument: supporting_document ?? null,
    txHashes: tx_hashes as unknown as string[],
  };
}

function ibanOf({ email_notifications: emailNotifications, ...row }: Record<string, unknown>): Iban {
  const { iban, name, bic, profile, address, chain, state } = row as unknown as Iban;
  return { iban, name, bic, profile, address, chain, state, emailNotifications: emailNotifications === true };
}
