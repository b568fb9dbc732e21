import { sql } from 'kysely';
import { StopError } from '../../platform/errors.ts';
import type { EventType } from '../orders/events.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';

/** A subscription as its application sees it (docs/api.md, Subscriptions). Nobody is shown its secret again. */
export interface Subscription {
  id: string;
  url: string;
  types: EventType[];
  state: 'active' | 'inactive';
}

export interface NewSubscription {
  /** The same id is the same subscription: it is made once. */
  id?: string | undefined;
  url: string;
  secret: string;
  types: EventType[];
}

type Changeable = Omit<NewSubscription, 'id'> & Pick<Subscription, 'state'>;
export type SubscriptionChanges = { [Field in keyof Changeable]?: Changeable[Field] | undefined };

/** Each is told every event, so their number is the factor by which an application multiplies our requests. */
export const maxSubscriptions = 20;

/** The subscriptions of an application, the oldest first. */
export async function listSubscriptions(ledger: Ledger, application: string): Promise<Subscription[]> {
  return (await selectSubscriptions(ledger, application).orderBy('id').execute()) as Subscription[];
}

/** Throws `too_many_subscriptions` when an application has as many as it may. */
export async function requireFreeSubscription(ledger: Ledger, application: string): Promise<void> {
  const { count } = await ledger
    .selectFrom('webhookSubscriptions')
    .where('application', '=', application)
    .where('state', '<>', 'deleted')
    .select(sql<bigint>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  if (count < maxSubscriptions) return;
  throw new StopError({
    code: 'too_many_subscriptions',
    message: 'Validation errors',
    fields: { subscriptions: `are ${maxSubscriptions} already, which is the most: change or delete one` },
  });
}

/** Records a subscription whose URL has accepted a delivery. Throws `too_many_subscriptions`. */
export async function createSubscription(ledger: Ledger, application: string, { id, ...given }: NewSubscription): Promise<Subscription> {
  return inTransaction(ledger, async (tx) => {
    // One after the other, so that each counts the others.
    await tx.selectFrom('applications').where('id', '=', application).select('id').forNoKeyUpdate().execute();
    const made = id === undefined ? undefined : await selectSubscriptions(tx, application).where('id', '=', id).executeTakeFirst();
    if (made) return made as Subscription;
    await requireFreeSubscription(tx, application);
    const created = await tx
      .insertInto('webhookSubscriptions')
      .values({ ...given, application, ...(id === undefined ? {} : { id }) })
      .returning(['id', 'url', 'types', 'state'])
      .executeTakeFirstOrThrow();
    return created as Subscription;
  });
}

/** A subscription with the secrets that sign its deliveries now, the newest first; `undefined` when the application has no such one. */
export async function findSubscription(
  ledger: Ledger,
  application: string,
  id: string,
): Promise<(Subscription & { secrets: string[] }) | undefined> {
  const found = await selectSubscriptions(ledger, application)
    .where('id', '=', id)
    .select('secret')
    .select(sql<string | null>`case when previous_secret_until > now() then previous_secret end`.as('previous'))
    .executeTakeFirst();
  if (!found) return undefined;
  const { secret, previous, ...subscription } = found;
  return { ...(subscription as Subscription), secrets: [secret, previous].filter((one) => one !== null) };
}

/**
 * Changes what is given. A new secret leaves the one before signing beside it for 24 hours (docs/api.md, Subscriptions).
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

/** Ends a subscription and what was still to be delivered to it. False when the application has no such one. */
export async function deleteSubscription(ledger: Ledger, application: string, id: string): Promise<boolean> {
  return inTransaction(ledger, async (tx) => {
    // Whoever makes a delivery refers to this row: nobody does from here on.
    const found = await selectSubscriptions(tx, application).where('id', '=', id).forUpdate().executeTakeFirst();
    if (!found) return false;
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

/** A secret given again is no new one, and leaves the one before to its time. */
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
