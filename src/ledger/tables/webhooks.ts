import type { ColumnType } from 'kysely';
import type { Default, Json, NullableTime, Time } from './columns.ts';

/** The state of a webhook subscription; only an `active` one is sent deliveries. */
export type SubscriptionState = 'active' | 'inactive' | 'deleted';
/** The state of a webhook delivery; only a `pending` one is attempted. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled';
/** An attempt to deliver an event: the HTTP status of the answer, or the error when there was none. `duration` is in milliseconds. */
export interface DeliveryAttempt {
  at: string;
  status?: number;
  error?: string;
  duration: number;
}

/** Tables of events and their deliveries. */
export interface WebhookTables {
  events: {
    id: Default<string>;
    type: string;
    profile: string;
    subject: string;
    data: Json<Record<string, unknown>>;
    correlationId: string | null;
    createdAt: Time;
    sequence: Default<bigint>;
    position: ColumnType<bigint | null, bigint | null | undefined, bigint | null>;
  };
  webhookSubscriptions: {
    id: Default<string>;
    application: string;
    url: string;
    origin: ColumnType<string, never, never>;
    types: string[];
    state: Default<SubscriptionState>;
    secret: string | null;
    previousSecret: ColumnType<string | null, string | null | undefined, string | null>;
    previousSecretUntil: NullableTime;
    createdAt: Time;
    updatedAt: Time;
  };
  webhookDeliveries: {
    id: Default<string>;
    subscription: string;
    event: string;
    type: string;
    subject: string;
    sequence: bigint;
    state: Default<DeliveryState>;
    attempts: Default<number>;
    firstAttemptAt: NullableTime;
    nextAttemptAt: Time;
    lease: ColumnType<string | null, string | null | undefined, string | null>;
    lastStatus: ColumnType<number | null, number | null | undefined, number | null>;
    lastError: ColumnType<string | null, string | null | undefined, string | null>;
    lastDuration: ColumnType<number | null, number | null | undefined, number | null>;
    history: ColumnType<DeliveryAttempt[], string | undefined, string>;
    createdAt: Time;
    endedAt: NullableTime;
  };
}
