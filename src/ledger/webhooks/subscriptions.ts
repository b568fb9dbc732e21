import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import type { Sealer } from '../../platform/sealing.ts';
import type { EventType } from '../orders/events.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { quotaLock, takeLock } from '../advisory-locks.ts';
import { requireRoom, requireWithinQuota } from '../quotas.ts';
import { endPause } from './receiver-pause.ts';
import { openSecrets, sealPreviousSecret, sealSecret } from './subscription-secrets.ts';

/** A subscription as its application sees it (docs/api.md, Subscriptions). Its secret cannot be read. */
export interface Subscription {
  id: string;
  url: string;
  types: EventType[];
  state: 'active' | 'inactive';
  /** Until when its receiver asks to be left alone; null when it does not. */
  pausedUntil: Date | null;
}

/** A subscription to be created. */
export interface NewSubscription {
  /** Creating a subscription again under its id returns the first one. */
  id?: string | undefined;
  url: string;
  secret: string;
  types: EventType[];
}

type Changeable = Omit<NewSubscription, 'id'> & Pick<Subscription, 'state'>;
/** The fields of a subscription that are changed; absent ones stay as they are. */
export type SubscriptionChanges = { [Field in keyof Changeable]?: Changeable[Field] | undefined };

/** The subscriptions of an application, the oldest first. */
export async function listSubscriptions(ledger: Ledger, application: string): Promise<Subscription[]> {
  return (await selectSubscriptions(ledger, application).orderBy('createdAt').orderBy('id').execute()) as Subscription[];
}

/** Throws `quota_exceeded` when an application has no room for another subscription. */
export async function requireFreeSubscription(ledger: Ledger, application: string): Promise<void> {
  await requireRoom(ledger, 'subscriptions', application);
}

/** Records a subscription whose URL has accepted a delivery. Throws `quota_exceeded`. */
export async function createSubscription(
  ledger: Ledger,
  sealer: Sealer,
  application: string,
  { id: chosenId, secret, ...fields }: NewSubscription,
): Promise<Subscription> {
  return inTransaction(ledger, async (tx) => {
    // A repetition waits for the first, and finds its subscription.
    await takeLock(tx, quotaLock('subscriptions', application));
    const existing = chosenId === undefined ? undefined : await findSubscription(tx, application, chosenId);
    if (existing) return existing;
    // A secret is sealed for its row, so the id is known before the row.
    const id = chosenId ?? randomUUID();
    const created = await tx
      .insertInto('webhookSubscriptions')
      .values({ ...fields, id, application, secret: sealSecret(sealer, id, secret) })
      .returning(columns)
      .executeTakeFirstOrThrow();
    await requireWithinQuota(tx, 'subscriptions', application);
    return created as Subscription;
  });
}

/** A subscription of an application; `undefined` when the application has no such subscription. */
export async function findSubscription(ledger: Ledger, application: string, id: string): Promise<Subscription | undefined> {
  return (await selectSubscriptions(ledger, application).where('id', '=', id).executeTakeFirst()) as Subscription | undefined;
}

/** The secrets that sign the deliveries of a subscription now, the newest first; none when it is deleted. Throws as the sealer does. */
export async function signingSecrets(ledger: Ledger, sealer: Sealer, id: string): Promise<string[]> {
  const row = await ledger
    .selectFrom('webhookSubscriptions')
    .where('id', '=', id)
    .where('state', '<>', 'deleted')
    .select(sql<string>`secret`.as('secret'))
    .select(sql<string | null>`case when previous_secret_until > now() then previous_secret end`.as('previous'))
    .executeTakeFirst();
  return row ? openSecrets(sealer, id, row) : [];
}

/**
 * Changes the given fields, and ends a pause. The previous secret signs beside a new one for 24 hours (docs/api.md, Subscriptions).
 * `undefined` when the application has no such subscription.
 */
export async function changeSubscription(
  ledger: Ledger,
  sealer: Sealer,
  application: string,
  id: string,
  { secret, ...changes }: SubscriptionChanges,
): Promise<Subscription | undefined> {
  return inTransaction(ledger, async (tx) => {
    if (secret !== undefined) await replaceSecret(tx, sealer, application, id, secret);
    const changed = await tx
      .updateTable('webhookSubscriptions')
      .set({ ...changes, ...(changes.state && { inactiveReason: null }), updatedAt: sql`now()` })
      .where('application', '=', application)
      .where('id', '=', id)
      .where('state', '<>', 'deleted')
      .returning('id')
      .executeTakeFirst();
    if (!changed) return undefined;
    await endPause(tx, sql`${id}`);
    return findSubscription(tx, application, id);
  });
}

/**
 * Makes a subscription inactive that still sends to `url`, whose receiver is gone; one that has moved meanwhile stays as it is. Returns whether it did.
 */
export async function deactivateSubscription(
  ledger: Ledger,
  id: string,
  { url, reason }: { url: string; reason: string },
): Promise<boolean> {
  const { numUpdatedRows } = await ledger
    .updateTable('webhookSubscriptions')
    .set({ state: 'inactive', inactiveReason: reason, updatedAt: sql`now()` })
    .where('id', '=', id)
    .where('url', '=', url)
    .where('state', '=', 'active')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes a subscription and cancels its pending deliveries. Returns false when the application has no such subscription. */
export async function deleteSubscription(ledger: Ledger, application: string, id: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    // A new delivery refers to this row and therefore waits for this lock; then the subscription is no longer active.
    const subscription = await selectSubscriptions(tx, application).where('id', '=', id).forUpdate().executeTakeFirst();
    if (!subscription) return false;
    await tx
      .updateTable('webhookSubscriptions')
      .set({ state: 'deleted', secret: null, previousSecret: null, previousSecretUntil: null, updatedAt: sql`now()` })
      .where('id', '=', id)
      .execute();
    await tx
      .updateTable('webhookDeliveries')
      .set({ state: 'cancelled', endedAt: sql`now()`, lease: null })
      .where('subscription', '=', id)
      .where('state', '=', 'pending')
      .execute();
    return true;
  });
}

/** The current secret again changes nothing: the previous one remains valid until its time. */
async function replaceSecret(tx: LedgerTransaction, sealer: Sealer, application: string, id: string, secret: string): Promise<void> {
  const own = await selectSubscriptions(tx, application).where('id', '=', id).select('secret').forUpdate().executeTakeFirst();
  if (own?.secret == null) return;
  const current = openCurrent(sealer, id, own.secret);
  if (current === secret) return;
  const previous =
    current === undefined
      ? { previousSecret: null, previousSecretUntil: null }
      : { previousSecret: sealPreviousSecret(sealer, id, current), previousSecretUntil: sql<Date>`now() + interval '24 hours'` };
  await tx
    .updateTable('webhookSubscriptions')
    .set({ secret: sealSecret(sealer, id, secret), ...previous })
    .where('id', '=', id)
    .execute();
}

/** A secret that does not open any more, because its key is lost, is replaced by the new one alone. */
function openCurrent(sealer: Sealer, subscription: string, secret: string): string | undefined {
  try {
    return openSecrets(sealer, subscription, { secret, previous: null })[0];
  } catch (error) {
    if (error instanceof StopError) return undefined;
    throw error;
  }
}

function selectSubscriptions(ledger: Ledger, application: string) {
  return ledger.selectFrom('webhookSubscriptions').where('application', '=', application).where('state', '<>', 'deleted').select(columns);
}

const columns = [
  'id',
  'url',
  'types',
  'state',
  sql<Date | null>`case when paused_until > now() then paused_until end`.as('pausedUntil'),
] as const;
