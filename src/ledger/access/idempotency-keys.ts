import { sql } from 'kysely';
import type { Ledger } from '../ledger.ts';

/**
 * How long a run of the request holds its key: longer than a request takes. A run that takes longer may meet a second one, which finds what the
 * first has created under the same id.
 */
const claimSeconds = 15;

/** Rows that one statement of the sweep deletes: few enough that it holds its locks for a short time. */
const sweepBatchSize = 1_000;

/** The answer to the first request with a key. */
export interface StoredAnswer {
  status: number;
  contentType: string | null;
  body: string | null;
}

/** A run of the request, which holds its key. */
export interface KeyClaim {
  /** The id of what the request creates: the same in every run, so that nothing is created twice. */
  makes: string;
  /** When the key was first used. */
  since: Date;
  /** Whether an earlier run ended without an answer. It may have done its work. */
  isRepeated: boolean;
  /** Identifies this run among the runs of its request. */
  token: string;
}

/** What a key stands for: a claim for the caller, an earlier answer, another request, or a run that may last so many seconds. */
export type KeyState = { claim: KeyClaim } | { answer: StoredAnswer } | { isReused: true } | { busySeconds: number };

/**
 * Claims a key for one run of its request. Of concurrent requests one gets the claim, and the others learn how many seconds its run may last.
 * Once there is an answer, every request gets it. `isReused` says that the key was used for another request, `fingerprint` being the hash of one.
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
    const row = await ledger
      .selectFrom('idempotencyKeys')
      .where('id', '=', id)
      .select(['fingerprint', 'status', 'contentType', 'body'])
      .select(sql<number>`extract(epoch from claimed_until - now())::float8`.as('busySeconds'))
      .executeTakeFirst();
    // The sweep deleted the key between the two statements: it is free.
    if (!row) continue;
    const { status, contentType, body, busySeconds } = row;
    if (!row.fingerprint.equals(fingerprint)) return { isReused: true };
    if (status !== null) return { answer: { status, contentType, body } };
    // Released between the two statements: it can be claimed now.
    if (busySeconds > 0) return { busySeconds };
  }
}

/** Stores the answer of a run, unless another run has stored one: the first answer counts. */
export async function storeAnswer(ledger: Ledger, id: Buffer, { status, contentType, body }: StoredAnswer): Promise<void> {
  await ledger.updateTable('idempotencyKeys').set({ status, contentType, body }).where('id', '=', id).where('status', 'is', null).execute();
}

/** Ends a claim whose run had no answer to store: the next request with the key runs at once. */
export async function releaseKey(ledger: Ledger, id: Buffer, { token }: KeyClaim): Promise<void> {
  await sql`
    update idempotency_keys set claimed_until = now() where id = ${id} and status is null and claimed_until = ${token}::timestamptz
  `.execute(ledger);
}

/** Deletes the keys that are older than `days`, with their answers. Returns how many there were. */
export async function sweepKeys(ledger: Ledger, days: number): Promise<number> {
  for (let swept = 0; ;) {
    const { numAffectedRows } = await sql`
      delete from idempotency_keys where id in (
        select id from idempotency_keys
        where created_at < now() - make_interval(days => ${days}) and claimed_until <= now()
        order by created_at limit ${sweepBatchSize} for update skip locked)
    `.execute(ledger);
    swept += Number(numAffectedRows ?? 0n);
    if (Number(numAffectedRows ?? 0n) < sweepBatchSize) return swept;
  }
}
