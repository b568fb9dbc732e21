import { sql } from 'kysely';
import { chainName } from '../platform/chains.ts';
import type { Ledger } from './ledger.ts';

/** Money that arrived, as a bank rail reports it. What is missing or unknown makes it unmatched, never lost. */
export interface NewCredit {
  /** Exactly-once key of the border bank -> order. */
  reference: string;
  iban?: string;
  currency?: string;
  /** Minor units. */
  amount?: bigint;
  payer: { name?: string; iban?: string; address?: string };
  remittance?: string;
  structuredReference?: string;
  endToEndId?: string;
  bookedOn?: string;
  /** Set when the rail already knows that this money cannot become an order, with the reason. */
  unmatched?: string;
  /** What the bank said beyond these fields, kept for the operator. */
  facts?: Record<string, unknown>;
}

export interface RecordOptions {
  /** Where the credits come from: `sandbox` or the name of a file. */
  source: string;
  /** Memo of orders whose payer wrote none. */
  defaultMemo: string;
  /** The tokens there are, as `chain:currency`. */
  tokens: string[];
  correlationId?: string;
}

export interface RecordedCredit {
  reference: string;
  state: 'matched' | 'unmatched' | 'returned';
  orderId: string | null;
  chain: string | null;
  reason: string | null;
  /** False when this reference was already known; the rest then describes the first credit. */
  created: boolean;
}

/** `<chain>:<address>` in the remittance text sends the money to that address, if it is linked to the same profile (wire facts, Orders). */
const destination = /^\s*([a-z ]+?)\s*:\s*(0x[0-9a-fA-F]{40})\s*$/;

/**
 * Records credits and, for each that is matched, its issue order, leg and event: all of them or none, in one statement.
 * A credit whose reference is known changes nothing. The answer is in the order of the input.
 */
export async function recordCredits(ledger: Ledger, credits: NewCredit[], options: RecordOptions): Promise<RecordedCredit[]> {
  const inserted = await insertCredits(credits, options).execute(ledger);
  const byReference = new Map(inserted.rows.map((row) => [row.reference, { ...row, created: true }]));
  const known = credits.map((credit) => credit.reference).filter((reference) => !byReference.has(reference));
  for (const row of known.length > 0 ? await findCredits(ledger, known) : []) byReference.set(row.reference, { ...row, created: false });
  return credits.map(({ reference }) => byReference.get(reference) as RecordedCredit);
}

async function findCredits(ledger: Ledger, references: string[]) {
  return ledger
    .selectFrom('credits')
    .leftJoin('orders', 'orders.id', 'credits.order_id')
    .where('credits.reference', 'in', references)
    .select(['credits.reference', 'credits.state', 'credits.order_id as orderId', 'orders.chain', 'credits.reason'])
    .execute();
}

function insertCredits(credits: NewCredit[], options: RecordOptions) {
  return sql<Omit<RecordedCredit, 'created'>>`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(credits.map(toRow))}::jsonb) as c(
        reference text, iban text, currency text, amount bigint, payer jsonb, remittance text, structured_reference text,
        end_to_end_id text, booked_on date, reason text, facts jsonb, chain text, address text)
    ), matched as materialized (
      select g.*, i.profile, coalesce(l.chain, i.chain) as to_chain, coalesce(l.address, i.address) as to_address, uuidv7() as order_id,
        case
          when g.reason is not null then g.reason
          when i.id is null then 'the IBAN is not assigned'
          when i.state <> 'approved' then 'the IBAN is ' || i.state
          when p.state <> 'approved' then 'the profile is ' || p.state
          when not coalesce(l.chain, i.chain) || ':' || g.currency = any(${options.tokens}::text[])
            then 'there is no ' || g.currency || ' token on ' || coalesce(l.chain, i.chain)
        end as unmatched
      from given g
      left join ibans i on i.iban = g.iban
      left join profiles p on p.id = i.profile
      left join (address_links l join addresses a on a.address = l.address)
        on l.address = g.address and l.chain = g.chain and a.profile = i.profile and l.chain || ':' || g.currency = any(${options.tokens}::text[])
    ), recorded as (
      insert into credits (reference, iban, currency, amount, payer, remittance, structured_reference, end_to_end_id, booked_on, source, state, order_id, reason, facts)
      select reference, iban, currency, amount, payer, remittance, structured_reference, end_to_end_id, booked_on, ${options.source},
        case when unmatched is null then 'matched' else 'unmatched' end, case when unmatched is null then order_id end, unmatched, facts
      from matched on conflict (reference) do nothing
      returning reference, state, order_id, reason
    ), placed as (
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, reference_number, correlation_id)
      select m.order_id, 'issue', m.profile, m.to_address, m.to_chain, m.currency, m.amount,
        jsonb_build_object(
          'identifier', jsonb_strip_nulls(jsonb_build_object('standard', 'iban', 'iban', m.payer->'iban')),
          'details', jsonb_strip_nulls(jsonb_build_object('name', coalesce(m.payer->'name', '""'), 'address', m.payer->'address'))),
        coalesce(nullif(m.remittance, ''), ${options.defaultMemo}), m.structured_reference, ${options.correlationId ?? null}
      from matched m join recorded r on r.order_id = m.order_id
      returning *
    ), legs_added as (
      insert into legs (order_id, kind, position, chain, currency, account, amount, state)
      select id, 'issue', 0, chain, currency, address, amount, 'ready' from placed
    ), announced as (
      insert into events (type, profile, subject, data, correlation_id)
      select 'order.created', profile, id, to_jsonb(placed), correlation_id from placed
    )
    select r.reference, r.state, r.order_id as "orderId", p.chain, r.reason from recorded r left join placed p on p.id = r.order_id
  `;
}

function toRow(credit: NewCredit) {
  const [, chain, address] = destination.exec(credit.remittance ?? '') ?? [];
  return {
    reference: credit.reference,
    iban: credit.iban,
    currency: credit.currency,
    amount: credit.amount?.toString(),
    payer: credit.payer,
    remittance: credit.remittance,
    structured_reference: credit.structuredReference,
    end_to_end_id: credit.endToEndId,
    booked_on: credit.bookedOn,
    reason: credit.unmatched,
    facts: credit.facts,
    chain: chain === undefined ? undefined : chainName(chain),
    address: address?.toLowerCase(),
  };
}
