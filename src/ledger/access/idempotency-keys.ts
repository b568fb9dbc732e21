import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';

/** How long a key and its answer are kept, in hours: longer than any client goes on trying. */
const retentionHours = 24;

/** How long one run has a key to itself, in seconds: longer than a request takes. Who comes later may run beside one that is still under way, and meets what it made. */
const claimSeconds = 15;

/** Rows that one statement of the sweep deletes; keeps its locks short. */
const sweepBatchSize = 1_000;

/** What was answered to the first request with a key. */
export interface StoredAnswer {
  status: number;
  contentType: string | null;
  body: string | null;
}

/** A run that has the key. */
export interface KeyClaim {
  /** Id for what the request creates: the same in every run. */
  makes: string;
  /** When the key was first used. */
  since: Date;
  /** Whether an earlier run ended without an answer: it may have done its work. */
  isRepeated: boolean;
  /** Tells this run from later ones. */
  token: string;
}

export type KeyState = { claim: KeyClaim } | { answer: StoredAnswer } | { isReused: true } | { busySeconds: number };

/**
 * Takes a key for one run of its request: of those that come together one gets the claim, and the others are told how long it may last.
 * Once there is an answer, everybody gets it. A key of another request is reused, whatever became of that.
 */
export async function claimKey(ledger: Ledger, id: Buffer, fingerprint: Buffer): Promise<KeyState> {
  for (;;) {
    const { rows } = await sql<KeyClaim>`
      insert into idempotency_keys as k (id, fingerprint, claimed_until) values (${id}, ${fingerprint}, now() + make_interval(secs => ${claimSeconds}))
      on conflict (id) do update set claimed_until = excluded.claimed_until
        where k.status is null and k.claimed_until <= now() and k.fingerprint = excluded.fingerprint
      returning makes, created_at as since, created_at < now() as "isRepeated", claimed_until::text as token
    `.execute(ledger);
    if (rows[0]) return { claim: rows[0] };
    const found = await ledger
      .selectFrom('idempotencyKeys')
      .where('id', '=', id)
      .select(['fingerprint', 'status', 'contentType', 'body'])
      .select(sql<number>`extract(epoch from claimed_until - now())::float8`.as('busySeconds'))
      .executeTakeFirst();
    // Swept between the two statements: the key is free.
    if (!found) continue;
    const { status, contentType, body, busySeconds } = found;
    if (!found.fingerprint.equals(fingerprint)) return { isReused: true };
    if (status !== null) return { answer: { status, contentType, body } };
    // Given free between the two statements: it is ours to take.
    if (busySeconds > 0) return { busySeconds };
  }
}

/** Keeps the answer of a run, unless another one was quicker: the first answer is the one that counts. */
export async function storeAnswer(ledger: Ledger, id: Buffer, { status, contentType, body }: StoredAnswer): Promise<void> {
  await ledger.updateTable('idempotencyKeys').set({ status, contentType, body }).where('id', '=', id).where('status', 'is', null).execute();
}

/** Gives a key free: its run ended without an answer that could be kept. */
export async function releaseKey(ledger: Ledger, id: Buffer, { token }: KeyClaim): Promise<void> {
  await sql`
    update idempotency_keys set claimed_until = now() where id = ${id} and status is null and claimed_until = ${token}::timestamptz
  `.execute(ledger);
}

/** Forgets the keys whose time is over. Returns how many there were. */
export async function sweepKeys(ledger: Ledger): Promise<number> {
  for (let swept = 0; ;) {
    const { numAffectedRows } = await sql`
      delete from idempotency_keys where id in (
        select id from idempotency_keys
        where created_at < now() - make_interval(hours => ${retentionHours}) and claimed_until <= now()
        order by created_at limit ${sweepBatchSize} for update skip locked)
    `.execute(ledger);
    swept += Number(numAffectedRows ?? 0n);
    if (Number(numAffectedRows ?? 0n) < sweepBatchSize) return swept;
  }
}
