import { type RawBuilder, sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { type Caller, profilesOf } from '../access/permissions.ts';
import { StopError } from '../../platform/errors.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';
import { type Page, type PageRequest, readPage, type Sort } from '../page.ts';
import { ibanQueue } from '../wake-ups.ts';

/** An assigned IBAN (docs/api.md, IBANs). */
export interface Iban {
  iban: string;
  /** The owner's name. */
  name: string;
  bic: string;
  profile: string;
  address: LowerAddress;
  chain: Chain;
  state: 'requested' | 'pending' | 'approved' | 'rejected' | 'closed';
  emailNotifications: boolean;
  /** Whether its address is linked to its profile. While it is not, payments wait until the IBAN is moved. */
  linked: boolean;
}

/** Where the payments that an IBAN receives go. */
export interface IbanTarget {
  address: LowerAddress;
  chain: Chain;
  emailNotifications?: boolean | undefined;
}

/**
 * Requests an IBAN for the profile of a linked address (docs/api.md, IBANs). Returns false when that
 * profile has one already, with another `id`: of concurrent requests, one returns true. Throws `address_not_linked`.
 */
export async function requestIban(
  ledger: Ledger,
  caller: Caller,
  target: IbanTarget,
  { id, correlationId }: { id: string | undefined; correlationId: string },
): Promise<boolean> {
  const linked = ledger
    .selectFrom('addressLinks as l')
    .innerJoin('addresses as a', 'a.address', 'l.address')
    .where('l.address', '=', target.address)
    .where('l.chain', '=', target.chain)
    .where('a.profile', 'in', profilesOf(ledger, caller));
  const inserted = await ledger
    .insertInto('ibans')
    .columns(['id', 'profile', 'address', 'chain', 'emailNotifications', 'correlationId'])
    .expression(
      linked.select([
        sql<string>`coalesce(${id ?? null}::uuid, uuidv7())`.as('id'),
        'a.profile',
        'l.address',
        'l.chain',
        sql<boolean>`${target.emailNotifications ?? true}::boolean`.as('notify'),
        sql<string>`${correlationId}::text`.as('correlationId'),
      ]),
    )
    .onConflict((conflict) => conflict.column('profile').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) {
    ledger.wakeUps.add(ibanQueue);
    return true;
  }
  const own = id === undefined ? undefined : await ledger.selectFrom('ibans').where('id', '=', id).select('id').executeTakeFirst();
  if (own) return true;
  if (await linked.select('a.profile').executeTakeFirst()) return false;
  throw notLinked();
}

const oldestFirst: Sort = { at: 'i.createdAt', cursor: 'i.iban', direction: 'asc', cursorMeaning: 'an IBAN of this profile' };

/**
 * The IBANs of a profile, oldest first; with `chain`, only those whose payments go there. One without a number yet is not listed.
 * The cursor is an IBAN. Throws `unknown_cursor`.
 */
export async function listIbans(ledger: Ledger, profile: string, chain?: Chain, page: PageRequest = {}): Promise<Page<Iban>> {
  const ofProfile = selectIbans(ledger).where('i.profile', '=', profile);
  const onChain = ofProfile.$if(chain !== undefined, (query) => query.where('i.chain', '=', chain as Chain));
  return readPage<Iban>(ledger, { matching: [onChain.$castTo<Iban>()], known: ofProfile, sort: oldestFirst }, page);
}

/** An IBAN of one of the caller's profiles. */
export async function findIban(ledger: Ledger, caller: Caller, iban: string): Promise<Iban | undefined> {
  const row = await selectIbans(ledger).where('i.iban', '=', iban).where('i.profile', 'in', profilesOf(ledger, caller)).executeTakeFirst();
  return row as Iban | undefined;
}

/**
 * Sends future payments of an IBAN to another linked address of its profile, with the event
 * (docs/api.md, IBANs). `undefined` when the caller has no such IBAN. Throws `address_not_linked`, `iban_closed`.
 */
export async function moveIban(
  ledger: Ledger,
  caller: Caller,
  iban: string,
  target: IbanTarget,
  correlationId: string,
): Promise<Iban | undefined> {
  return inTransaction(ledger, async (tx) => {
    const current = await tx
      .selectFrom('ibans')
      .where('iban', '=', iban)
      .where('profile', 'in', profilesOf(tx, caller))
      .select(['id', 'profile', 'state'])
      .forUpdate()
      .executeTakeFirst();
    if (!current) return undefined;
    if (current.state !== 'pending' && current.state !== 'approved')
      throw new StopError({ code: 'iban_closed', message: 'Validation errors', fields: { iban: `is ${current.state}` } });
    const link = await tx
      .selectFrom('addressLinks as l')
      .innerJoin('addresses as a', 'a.address', 'l.address')
      .where('l.address', '=', target.address)
      .where('l.chain', '=', target.chain)
      .where('a.profile', '=', current.profile)
      .select('l.address')
      .executeTakeFirst();
    if (!link) throw notLinked();
    await tx
      .updateTable('ibans')
      .set({
        address: target.address,
        chain: target.chain,
        ...(target.emailNotifications === undefined ? {} : { emailNotifications: target.emailNotifications }),
      })
      .where('id', '=', current.id)
      .execute();
    await announceIbans(tx, [current.id], sql`${correlationId}::text`);
    return (await selectIbans(tx).where('i.id', '=', current.id).executeTakeFirstOrThrow()) as Iban;
  });
}

/** Whether an IBAN waits for its number or for its approval. */
export async function hasRequestedIbans(ledger: Ledger): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select exists (select from ibans where state in ('requested', 'pending')) as has`.execute(
    ledger,
  );
  return rows[0]?.has === true;
}

/**
 * Gives requested IBANs their numbers: `requested` -> `pending`. Rows that another worker holds are skipped. `compose` makes an IBAN of a
 * number that is used once. Returns how many IBANs got one.
 */
export async function assignIbanNumbers(
  ledger: Ledger,
  { compose, bic, limit }: { compose: (number: bigint) => string; bic: string; limit: number },
): Promise<number> {
  return inTransaction(ledger, async (tx) => {
    const requested = await tx
      .selectFrom('ibans')
      .where('state', '=', 'requested')
      .orderBy('createdAt')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .select(['id', sql<bigint>`nextval('iban_numbers')`.as('number')])
      .execute();
    for (const { id, number } of requested)
      await tx
        .updateTable('ibans')
        .set({ iban: compose(number), bic, state: 'pending' })
        .where('id', '=', id)
        .where('state', '=', 'requested')
        .execute();
    return requested.length;
  });
}

/** Leaves out the next numbers of IBANs: since the back-up from which the ledger was restored they may have been given to others. */
export async function skipIbanNumbers(ledger: Ledger, count: number): Promise<void> {
  if (count > 0) await sql`select setval('iban_numbers', nextval('iban_numbers') + ${count - 1})`.execute(ledger);
}

/** An IBAN that was approved: whose it is, and the correlation id of the request for it. */
export interface ApprovedIban {
  id: string;
  profile: string;
  correlationId: string | null;
}

/** `pending` -> `approved`, with the event (docs/api.md, IBANs). Returns those that were approved, at most `limit`. */
export async function approveIbans(ledger: Ledger, limit: number): Promise<ApprovedIban[]> {
  return inTransaction(ledger, async (tx) => {
    const pending = tx
      .selectFrom('ibans')
      .where('state', '=', 'pending')
      .orderBy('createdAt')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .select('id');
    const approved = await tx
      .updateTable('ibans')
      .set({ state: 'approved' })
      .where('id', 'in', pending)
      .where('state', '=', 'pending')
      .returning(['id', 'profile', 'correlationId'])
      .execute();
    if (approved.length > 0)
      await announceIbans(
        tx,
        approved.map(({ id }) => id),
        sql.ref('i.correlationId'),
      );
    return approved;
  });
}

/** Sends `iban.updated` for IBANs that have a number (docs/api.md, Events). `correlationId` is an expression over the row `i` of the IBAN. */
export async function announceIbans(
  tx: LedgerTransaction,
  ids: string[],
  correlationId: RawBuilder<unknown> = sql`null::text`,
): Promise<void> {
  await sql`
    insert into events (type, profile, subject, data, correlation_id)
    select 'iban.updated', i.profile, i.id, jsonb_build_object('iban', i.iban, 'name', p.name, 'bic', i.bic, 'profile', i.profile,
      'address', i.address, 'chain', i.chain, 'state', i.state, 'emailNotifications', i.email_notifications, 'linked', ${isLinked}),
      ${correlationId}
    from ibans i join profiles p on p.id = i.profile where i.id = any(${ids}::uuid[])
  `.execute(tx);
}

/** SQL: whether the address of the IBAN `i` is linked to its profile on its chain. */
const isLinked = sql<boolean>`exists (
  select from address_links l join addresses a on a.address = l.address
  where l.address = i.address and l.chain = i.chain and a.profile = i.profile)`;

function selectIbans(ledger: Ledger) {
  return ledger
    .selectFrom('ibans as i')
    .innerJoin('profiles as p', 'p.id', 'i.profile')
    .where('i.iban', 'is not', null)
    .select(['i.iban', 'p.name', 'i.bic', 'i.profile', 'i.address', 'i.chain', 'i.state', 'i.emailNotifications'])
    .select(isLinked.as('linked'));
}

function notLinked(): StopError {
  return new StopError({
    code: 'address_not_linked',
    message: 'Validation errors',
    fields: { address: 'is not linked to the profile on this chain' },
  });
}
