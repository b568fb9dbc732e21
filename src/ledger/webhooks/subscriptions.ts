import { sql } from 'kysely';
import type { EventType } from '../orders/events.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { requireRoom, requireWithinQuota } from '../quotas.ts';

/** A subscription as its application sees it (docs/api.md, Subscriptions). Its secret cannot be read. */
export interface Subscription {
  id: string;
  url: string;
  types: EventType[];
  state: 'active' | 'inactive';
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
  return (await selectSubscriptions(ledger, application).orderBy('id').execute()) as Subscription[];
}

/** Throws `quota_exceeded` when an application has no room for another subscription. */
export async function requireFreeSubscription(ledger: Ledger, application: string): Promise<void> {
  await requireRoom(ledger, 'subscriptions', application);
}

/** Records a subscription whose URL has accepted a delivery. Throws `quota_exceeded`. */
export async function createSubscription(ledger: Ledger, application: string, { id, ...fields }: NewSubscription): Promise<Subscription> {
  return inTransaction(ledger, async (tx) => {
    // Locks the application: a repetition waits for the first, and finds its subscription.
    await tx.selectFrom('applications').where('id', '=', application).select('id').forNoKeyUpdate().execute();
    const existing = id === undefined ? undefined : await selectSubscriptions(tx, application).where('id', '=', id).executeTakeFirst();
    if (existing) return existing as Subscription;
    const created = await tx
      .insertInto('webhookSubscriptions')
      .values({ ...fields, application, ...(id === undefined ? {} : { id }) })
      .returning(['id', 'url', 'types', 'state'])
      .executeTakeFirstOrThrow();
    await requireWithinQuota(tx, 'subscriptions', application);
    return created as Subscription;
  });
}

/** A subscription with the secrets that sign its deliveries now, the newest first; `undefined` when the application has no such subscription. */
export async function findSubscription(
  ledger: Ledger,
  application: string,
  id: string,
): Promise<(Subscription & { secrets: string[] }) | undefined> {
  const row = await selectSubscriptions(ledger, application)
    .where('id', '=', id)
    .select('secret')
    .select(sql<string | null>`case when previous_secret_until > now() then previous_secret end`.as('previous'))
    .executeTakeFirst();
  if (!row) return undefined;
  const { secret, previous, ...subscription } = row;
  return { ...(subscription as Subscription), secrets: [secret, previous].filter((key) => key !== null) };
}

/**
 * Changes the given fields. The previous secret signs beside a new one for 24 hours (docs/api.md, Subscriptions).
 * `undefined` when the application has no such subscription.
 */
export async function changeSubscription(
  ledger: Ledger,
  application: string,
  id: string,
  { secret, ...changes }: SubscriptionChanges,
): Promise<Subscription | undefined> {
  return inTransaction(ledger, async (tx) => {
    if (secret !== undefined) await replaceSecret(tx, application, id, secret);
    const changed = await tx
      .updateTable('webhookSubscriptions')
      .set({ ...changes, updatedAt: sql`now()` })
      .where('application', '=', application)
      .where('id', '=', id)
      .where('state', '<>', 'deleted')
      .returning(['id', 'url', 'types', 'state'])
      .executeTakeFirst();
    return changed as Subscription | undefined;
  });
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
async function replaceSecret(tx: LedgerTransaction, application: string, id: string, secret: string): Promise<void> {
  await tx
    .updateTable('webhookSubscriptions')
    .set({ secret, previousSecret: sql`secret`, previousSecretUntil: sql`now() + interval '24 hours'` })
    .where('application', '=', application)
    .where('id', '=', id)
    .where('state', '<>', 'deleted')
    .where('secret', '<>', secret)
    .execute();
}

function selectSubscriptions(ledger: Ledger, application: string) {
  return ledger
    .selectFrom('webhookSubscriptions')
    .where('application', '=', application)
    .where('state', '<>', 'deleted')
    .select(['id', 'url', 'types', 'state']);
}
