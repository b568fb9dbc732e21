import { type RawBuilder, sql } from 'kysely';
import { beginLegs } from '../orders/legs/begin-legs.ts';
import type { BankCredit } from '../../bank/credit.ts';
import { type Actor, auditedActor } from '../../platform/acting.ts';
import { chainName } from '../../platform/chains.ts';
import { currencies, dustBelow, type MinorUnits } from '../../platform/money.ts';
import { nextCreditOrderId } from '../derived-ids.ts';
import { inputRows } from '../input-rows.ts';
import type { WaitingCredit } from './unmatched/unmatched-credits.ts';

/** Money that arrived, as a bank reports it. A credit with missing or unknown facts becomes unmatched; it is never dropped. */
export interface NewCredit extends BankCredit {
  /** The account on which the bank has booked it: the master account of the statement, or `sandbox` of the simulated bank. */
  bankAccount: string;
  /** The kind of the message that reports it, such as `camt.053`. */
  message?: string;
  /** The bank's reference of the entry this money is reported in: the same for the entry's sum and for its transactions. */
  entryReference?: string;
  /** The amount of that entry, as reported. */
  entryAmount?: MinorUnits;
  /** Whether this is an entry as a whole, reported without its transactions. */
  isSum?: boolean;
  /** Whether only notifications report it, and a statement should list it. */
  isAwaited?: boolean;
  /** The recorded credit whose money this may be, as long as nobody has decided. */
  mayRepeat?: string;
  /** Of the request that reports it. */
  correlationId?: string;
  /** Whom the audit log names as its reporter. A credit of a file has none: the file is recorded as one import. */
  reportedBy?: Actor | null;
}

/** A credit that is matched: as the bank reports it, or as it is recorded and waits. */
export type CreditFacts = NewCredit | WaitingCredit;

/** How credits are recorded. */
export interface RecordOptions {
  /** Where the credits come from: `sandbox` or the name of a file. */
  source: string;
  /** Memo of orders whose payer wrote none. */
  defaultMemo: string;
  /** The tokens that can be issued, as `chain:currency`. */
  tokens: string[];
  /** How long an order over dust ({@link dustBelow}) waits at most to share a transaction with others; without it, not at all. */
  dustWaitSeconds?: number | undefined;
}

/** `<chain>:<address>` in the remittance text sends the money to that address, if it is linked to the same profile (docs/api.md, Issue orders). */
const destination = /^\s*([a-z ]+?)\s*:\s*(0x[0-9a-fA-F]{40})\s*$/;

/**
 * SQL: the beginning of a statement over credits. Its CTE `matched` has each credit with the profile, chain and address that it would be issued
 * to or, in `unmatched`, the reason why it cannot. Looks each up by index, so that the number of customers does not matter.
 */
export function matchCredits(credits: readonly CreditFacts[], { tokens }: Pick<RecordOptions, 'tokens'>): RawBuilder<unknown> {
  const reported = inputRows(
    firstOfEach(credits).map(withDestination),
    `reference text, bank_account text, iban text, currency text, amount bigint, payer jsonb, remittance text, structured_reference text, end_to_end_id text, uetr uuid,
    booked_on date, message text, reason text, rail_reason text, entry_reference text, entry_amount numeric, is_awaited boolean, may_repeat text, facts jsonb,
    chain text, address text, correlation_id text, actor_kind text, actor text, actor_application text, actor_correlation_id text`,
  );
  return sql`
    with identified as materialized (
      select r.*, ${nextCreditOrderId(sql`r.reference`)} as order_id from ${reported} r
    ), matched as materialized (
      select g.*, i.profile, coalesce(l.chain, i.chain) as to_chain, coalesce(l.address, i.address) as to_address,
        case
          when g.reason is not null then g.reason
          when g.iban is null or g.currency is null or g.amount is null then 'the IBAN, currency or amount is not known'
          when i.id is null then 'the IBAN is not assigned'
          when i.state <> 'approved' then 'the IBAN is ' || i.state
          when p.state <> 'approved' then 'the profile is ' || p.state
          when l.address is null and own.address is null then 'the address of the IBAN is no longer linked to its profile'
          when not coalesce(l.chain, i.chain) || ':' || g.currency = any(${tokens}::text[])
            then 'there is no ' || g.currency || ' token on ' || coalesce(l.chain, i.chain)
          when g.order_id is null then 'other orders have all ids that its order could have'
        end as unmatched
      from identified g
      left join lateral (select * from ibans where iban = g.iban limit 1) i on true
      left join lateral (select state from profiles where id = i.profile limit 1) p on true
      left join lateral (${linkedAddress(sql`i.address`, sql`i.chain`)}) own on own.profile = i.profile
      left join lateral (${linkedAddress(sql`g.address`, sql`g.chain`)}) l
        on l.profile = i.profile and l.chain || ':' || g.currency = any(${tokens}::text[])
    )`;
}

/** SQL: the link of an address on a chain with the profile that has it, if there is one. */
function linkedAddress(address: RawBuilder<unknown>, chain: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select l.address, l.chain, a.profile from address_links l join addresses a on a.address = l.address
    where l.address = ${address} and l.chain = ${chain} limit 1`;
}

/** SQL: the end of such a statement. Inserts orders and legs for the credits of `matched` whose `order_id` is in the CTE `recorded`. */
export function placeCreditOrders({
  defaultMemo,
  dustWaitSeconds = 0,
}: Pick<RecordOptions, 'defaultMemo' | 'dustWaitSeconds'>): RawBuilder<unknown> {
  const below = sql`case m.currency ${sql.join(
    currencies.map((currency) => sql`when ${sql.lit(currency)} then ${sql.lit(dustBelow[currency].toString())}::bigint`),
    sql` `,
  )} end`;
  const isHeld = sql`(${dustWaitSeconds}::int > 0 and m.amount < ${below})`;
  return sql`
    placed as (
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, reference_number, correlation_id,
        held_since, held_for, held_until)
      select m.order_id, 'issue', m.profile, m.to_address, m.to_chain, m.currency, m.amount,
        jsonb_build_object(
          'identifier', case when m.payer ->> 'iban' is not null
            then jsonb_build_object('standard', 'iban', 'iban', m.payer -> 'iban')
            else jsonb_strip_nulls(jsonb_build_object('standard', 'account', 'accountNumber', m.payer -> 'accountNumber', 'bic', m.payer -> 'bic',
              'clearingSystem', m.payer -> 'clearingSystem', 'clearingCode', m.payer -> 'clearingCode')) end,
          'details', jsonb_strip_nulls(jsonb_build_object('name', coalesce(m.payer->'name', '""'), 'address', m.payer->'address'))),
        coalesce(nullif(m.remittance, ''), ${defaultMemo}), m.structured_reference, m.correlation_id,
        case when d.is_held then now() end, case when d.is_held then 'dust' end, case when d.is_held then now() + make_interval(secs => ${dustWaitSeconds}) end
      from matched m join recorded r on r.order_id = m.order_id cross join lateral (select ${isHeld} as is_held) d
      returning id, chain, currency, address, amount, held_for, held_until
    ), ${beginLegs(sql`select id, 'issue', 0, chain, currency, address, amount, 'ready', 'nobody', held_for, held_until from placed`)}`;
}

/** One statement makes one order of a reference. */
function firstOfEach(credits: readonly CreditFacts[]): CreditFacts[] {
  return [...new Map(credits.toReversed().map((credit) => [credit.reference, credit])).values()].toReversed();
}

/** A credit as the statement reads it. Why a recorded one waits does not count any more. */
function withDestination(credit: CreditFacts) {
  const [, chain, address] = destination.exec(credit.remittance ?? '') ?? [];
  const { unmatched: reason, reportedBy } = 'state' in credit ? ({} as Partial<NewCredit>) : credit;
  return {
    ...credit,
    reason,
    isAwaited: credit.isAwaited ?? false,
    chain: chain === undefined ? undefined : chainName(chain),
    address: address?.toLowerCase(),
    ...(reportedBy && auditedActor(reportedBy)),
  };
}
