import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { RetryError } from '../../platform/errors.ts';
import { RateLimited } from '../../platform/limits/rate-limiter.ts';
import type { SealedField, Sealer } from '../../platform/sealing.ts';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Ledger } from '../ledger.ts';
import type { SignInSource } from '../access/sessions.ts';
import { mailQueue } from '../wake-ups.ts';

/** What a mail says; its text is made when it is sent. `at` is a time in RFC 3339. */
export type MailContent =
  | { kind: 'sign-up-code' | 'reset-code'; code: string }
  | { kind: 'account-exists' | 'no-account' }
  | ({ kind: 'new-sign-in' | 'password-changed'; at: string } & SignInSource)
  | ({ kind: 'password-reset'; at: string; addresses: LowerAddress[] } & SignInSource)
  | ({ kind: FactorChange; at: string } & SignInSource)
  | { kind: 'factors-reset' };

/** What happened to the second factors of a user. */
export type FactorChange =
  | 'passkey-added'
  | 'passkey-removed'
  | 'authenticator-added'
  | 'authenticator-removed'
  | 'recovery-codes-made'
  | 'recovery-code-used';

/** A mail for the outbox. */
export interface NewMail {
  recipient: string;
  content: MailContent;
  /** It is never sent later than after this time. */
  worthMinutes: number;
  /** That of the request that the mail is due to. */
  correlationId?: string | undefined;
  /** Of whoever asked for it, when nobody knows them: the networks take turns (`siteOf` in src/platform/http/client-network.ts). */
  network?: string | undefined;
}

/** Mails that may wait. More means that nothing has been sent for long, while somebody goes on asking for codes. */
const mostWaiting = 10_000;

/** Mails of one network that may wait: a minute's work of the sender, if a mail takes three seconds. */
const mostOfNetwork = 200;

/** Attempts to send a mail. The last is made some fifteen minutes after the first. */
export const mailAttempts = 8;

/** The pause after the first failed attempt; each further one is twice as long. */
const firstPauseSeconds = 7;

/** A mail that only this worker may send, until its lease ends. */
export interface ClaimedMail {
  id: string;
  recipient: string;
  /** To be opened by {@link openMail}. */
  content: string;
  /** Which attempt this is, from 1. */
  attempt: number;
  /** That of the request that the mail is due to. */
  correlationId: string | null;
}

/**
 * Writes a mail into the outbox, from which a worker sends it after the commit. What it says is sealed: who reads the database could otherwise
 * take over an account by a code. Throws `mail_outbox_full`, and `rate_limited` when too many of the mail's network wait.
 */
export async function queueMail(ledger: Ledger, sealer: Sealer, mail: NewMail): Promise<void> {
  if (mail.network !== undefined && (await isNetworkFull(ledger, mail.network)))
    throw new RateLimited('Too many mails that your network asked for wait to be sent. Try again in a minute.', 60_000);
  if (!(await tryQueueMail(ledger, sealer, mail)))
    throw new RetryError({ code: 'mail_outbox_full', message: 'No mail can be sent at the moment. Try again in some minutes.' });
}

async function isNetworkFull(ledger: Ledger, network: string): Promise<boolean> {
  const { rows } = await sql`select from mails where network = ${network} offset ${mostOfNetwork - 1} limit 1`.execute(ledger);
  return rows.length > 0;
}

/**
 * The same for a mail that may be left out: returns whether there was room. A network's mail gets the turn after its last that waits, and no earlier one
 * than is being served: so a newcomer's first waits for one mail of each other network at most, and no newcomers keep those of a busy network waiting.
 * When the outbox is full, the last in the order of turns gives way to a mail of an earlier turn, so that no few networks can fill it: whoever waits for
 * it in vain asks for the code again, as one does whose mail is lost on its way.
 */
export async function tryQueueMail(ledger: Ledger, sealer: Sealer, mail: NewMail): Promise<boolean> {
  const { recipient, content, worthMinutes, correlationId, network } = mail;
  const id = randomUUID();
  const sealed = sealer.seal(JSON.stringify(content), fieldOf(id));
  const turn =
    network === undefined
      ? sql`0`
      : sql`greatest(1, (select min(turn) from mails where turn > 0 and attempts = 0), (select max(turn) + 1 from mails where network = ${network}))`;
  const { rows } = await sql<{ id: string }>`
    with own as materialized (select ${turn} as turn, exists (select from mails offset ${mostWaiting}) as is_full),
    yielded as (
      delete from mails where id = (
        select id from mails where turn > (select turn from own where is_full)
        order by turn desc, due_at desc limit 1 for update skip locked)
      returning id)
    insert into mails (id, recipient, content, expires_at, correlation_id, network, turn)
    select ${id}::uuid, ${recipient}, ${sealed}, now() + make_interval(mins => ${worthMinutes}), ${correlationId ?? null}, ${network ?? null}, turn
    from own where not is_full or exists (select from yielded) returning id
  `.execute(ledger);
  if (rows.length > 0) ledger.wakeUps.add(mailQueue);
  return rows.length > 0;
}

/** Claims mails that are due, by their turns, the oldest of a turn first. One whose worker dies is claimed again when the lease ends, so that a crash repeats it at most. */
export async function claimMails(ledger: Ledger, { limit, leaseSeconds }: { limit: number; leaseSeconds: number }): Promise<ClaimedMail[]> {
  const { rows } = await sql<ClaimedMail>`
    update mails set attempts = attempts + 1, due_at = now() + make_interval(secs => ${leaseSeconds})
    where id = any(array(
      select id from mails where due_at <= now() and expires_at > now() and attempts < ${mailAttempts}
      order by turn, due_at limit ${limit} for update skip locked))
    returning id, recipient, content, attempts as attempt, correlation_id
  `.execute(ledger);
  return rows;
}

/** What a mail says. Throws what unsealing throws. */
export function openMail(sealer: Sealer, { id, content }: Pick<ClaimedMail, 'id' | 'content'>): MailContent {
  return JSON.parse(sealer.unseal(content, fieldOf(id))) as MailContent;
}

/** Deletes a mail that was sent, or that the mail server refuses for good. */
export async function deleteMail(ledger: Ledger, id: string): Promise<void> {
  await ledger.deleteFrom('mails').where('id', '=', id).execute();
}

/** Makes a mail that could not be sent due again after a pause; not once another worker has claimed it, whose lease would end early. */
export async function postponeMail(ledger: Ledger, { id, attempt }: Pick<ClaimedMail, 'id' | 'attempt'>): Promise<void> {
  const pauseSeconds = firstPauseSeconds * 2 ** (attempt - 1);
  await ledger
    .updateTable('mails')
    .set({ dueAt: sql`now() + make_interval(secs => ${pauseSeconds})` })
    .where('id', '=', id)
    .where('attempts', '=', attempt)
    .execute();
}

/** Deletes up to `limit` mails that are too old or were tried too often. Returns them. */
export async function deleteUnsentMails(ledger: Ledger, limit: number): Promise<Pick<ClaimedMail, 'id' | 'correlationId'>[]> {
  const { rows } = await sql<Pick<ClaimedMail, 'id' | 'correlationId'>>`
    delete from mails where id = any(array(
      select id from mails where due_at <= now() and (expires_at <= now() or attempts >= ${mailAttempts})
      limit ${limit} for update skip locked)) returning id, correlation_id
  `.execute(ledger);
  return rows;
}

function fieldOf(id: string): SealedField {
  return { table: 'mails', column: 'content', row: id };
}
