import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { RetryError } from '../../platform/errors.ts';
import { RateLimited } from '../../platform/limits/rate-limiter.ts';
import type { SealedField, Sealer } from '../../platform/sealing.ts';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Ledger } from '../ledger.ts';
import type { SignInSource } from '../access/sessions.ts';
import type { LedgerTables } from '../../schema/tables.ts';
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
  /** Of a mail with a code, or in place of it. The row of `mailed_codes` for it and the recipient exists, and the transaction has locked it. */
  codePurpose?: MailedPurpose | undefined;
}

/** What mails with codes are counted by at a recipient. */
export type MailedPurpose = LedgerTables['mailedCodes']['purpose'];

/** Minutes for which all who ask for a code for an address get the same, so that no number of strangers keeps it from its owner. */
export const sharedMinutes = 15;

/** Mails of a code that are handed over within that time: a second one for whoever has lost the first. */
const mailsOfCode = 2;

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
 * take over an account by a code. Does nothing when the recipient has two mails of the code already. Throws `mail_outbox_full`, and `rate_limited`
 * when too many of the mail's network wait.
 */
export async function queueMail(ledger: Ledger, sealer: Sealer, mail: NewMail): Promise<void> {
  const outcome = await insertMail(ledger, sealer, mail);
  if (outcome.isQueued || outcome.isEnough) return;
  if (outcome.isNetworkFull)
    throw new RateLimited('Too many mails that your network asked for wait to be sent. Try again in a minute.', 60_000);
  throw new RetryError({ code: 'mail_outbox_full', message: 'No mail can be sent at the moment. Try again in some minutes.' });
}

/** The same for a mail that may be left out: returns whether there was room. */
export async function tryQueueMail(ledger: Ledger, sealer: Sealer, mail: NewMail): Promise<boolean> {
  return (await insertMail(ledger, sealer, mail)).isQueued;
}

/**
 * A network's mail gets the turn after its last that waits, and no earlier one than is being served: so a newcomer's first waits for one mail of each
 * other network at most, and no newcomers keep those of a busy network waiting. When the outbox is full, the last in the order of turns gives way to a mail
 * of an earlier turn, so that no few networks can fill it: whoever waits for it in vain asks for the code again, as one does whose mail is lost on its way.
 *
 * A mail of the same code that nobody has tried to send is replaced, and the new one has the earlier of both turns: strangers who ask first must not have
 * the owner wait for their turn. So is one that is tried again and again, if its code is not the present one.
 */
async function insertMail(
  ledger: Ledger,
  sealer: Sealer,
  mail: NewMail,
): Promise<{ isQueued: boolean; isEnough: boolean; isNetworkFull: boolean }> {
  const { recipient, content, worthMinutes, correlationId, network, codePurpose } = mail;
  const id = randomUUID();
  const sealed = sealer.seal(JSON.stringify(content), fieldOf(id));
  const turn =
    network === undefined
      ? sql`0`
      : sql`greatest(1, (select min(turn) from mails where turn > 0 and attempts = 0), (select max(turn) + 1 from mails where network = ${network}))`;
  const ofCode = sql`lower(recipient) = lower(${recipient}) and code_purpose = ${codePurpose ?? null}`;
  const { rows } = await sql<{ isQueued: boolean; isEnough: boolean; isNetworkFull: boolean }>`
    with own as materialized (
      select ${turn} as turn, ${network ?? null} as network,
        exists (select from mails offset ${mostWaiting}) as is_full,
        exists (select from mails where network = ${network ?? null} offset ${mostOfNetwork - 1}) as is_network_full),
    code as materialized (
      select mails, until - make_interval(mins => ${sharedMinutes}) as since from mailed_codes
      where recipient = lower(${recipient}) and purpose = ${codePurpose ?? null}),
    -- Passes over what a worker is claiming or has sent: waiting for it here could end in a deadlock.
    replaced as (
      delete from mails where id = any(array(
        select id from mails where ${ofCode} and (attempts = 0 or created_at < (select since from code))
          and not (select is_network_full from own) for update skip locked))
      returning turn, network, due_at),
    state as materialized (
      select is_network_full, exists (select from replaced) as has_replaced,
        coalesce((select mails from code) + (select count(*) from mails where ${ofCode}) - (select count(*) from replaced) >= ${mailsOfCode}, false) as is_enough
      from own),
    yielded as (
      delete from mails where id = (
        select id from mails where turn > (select turn from own, state where is_full and not (is_enough or own.is_network_full or has_replaced))
        order by turn desc, due_at desc limit 1 for update skip locked)
      returning id),
    earliest as (
      select turn, network, now() as due_at from own union all select turn, network, due_at from replaced order by turn, due_at limit 1),
    inserted as (
      insert into mails (id, recipient, content, expires_at, correlation_id, code_purpose, network, turn, due_at, created_at)
      select ${id}::uuid, ${recipient}, ${sealed}, now() + make_interval(mins => ${worthMinutes}), ${correlationId ?? null}, ${codePurpose ?? null},
        earliest.network, earliest.turn, least(earliest.due_at, now()), clock_timestamp()
      from earliest, own, state
      where not is_enough and not own.is_network_full and (not is_full or has_replaced or exists (select from yielded)) returning id)
    select exists (select from inserted) as is_queued, is_enough, is_network_full from state
  `.execute(ledger);
  const [outcome] = rows as [(typeof rows)[number]];
  if (outcome.isQueued) ledger.wakeUps.add(mailQueue);
  return outcome;
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

/**
 * Deletes a mail that was sent. One of a code is counted at its recipient now and not before: one that gives way in a full outbox, or is given up, must
 * not keep the owner from another. One that was sent late begins a time of its own, so that no more than two come within it.
 */
export async function recordSentMail(ledger: Ledger, id: string): Promise<void> {
  await sql`
    with sent as (delete from mails where id = ${id} returning lower(recipient) as recipient, code_purpose)
    insert into mailed_codes as c (recipient, purpose, salt, mails, until)
    select recipient, code_purpose, ${randomBytes(32)}::bytea, 1, now() + make_interval(mins => ${sharedMinutes}) from sent where code_purpose is not null
    on conflict (recipient, purpose) do update set
      mails = case when c.until <= now() then 1 else c.mails + 1 end,
      until = case when c.until <= now() then excluded.until else c.until end
  `.execute(ledger);
}

/** Deletes a mail that the mail server refuses for good, or that was tried too often. */
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
