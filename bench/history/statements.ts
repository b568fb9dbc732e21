import { viewsSchema } from '../../src/indexed/schema-names.ts';
import { bankAccount, chains, indexTables, tokenOf } from './networks.ts';

/** How much history is made. */
export interface HistorySize {
  /** Orders in all. They are placed evenly over the days up to now, the last ones are open. */
  orders: number;
  days: number;
  /** Orders that are not finished. */
  open: number;
  /** Customers, each with a profile, an address and an IBAN. */
  customers: number;
  /** Legs that a transaction carries. */
  batch: number;
}

/** A step of the generation: what it makes, and its SQL. */
export type Step = [name: string, statement: string];

/** For how long events, deliveries and keys are kept by default (docs/settings.md). */
const [eventDays, deliveryDays, keyDays] = [180, 90, 1];

/** The user, application and webhook subscription of the partner, and the address of the lane. */
export const userId = '00000000-0000-7000-8000-000000000001';
export const applicationId = '00000000-0000-7000-8000-000000000002';
export const subscriptionId = '00000000-0000-7000-8000-000000000003';
export const signerAddress = `0x${'5'.repeat(40)}` as const;

const hex = (seed: string, bytes: 20 | 32) => `'0x' || substr(md5(${seed}) || md5(${seed} || 'b'), 1, ${bytes * 2})`;
const addressOf = (customer: string) => hex(`'customer' || ${customer}`, 20);
const idAt = (at: string, seconds = 0) => `uuidv7(${at} + interval '${seconds} s' - now())`;
const tokens = `(values ${chains.flatMap((chain) => (['eur', 'gbp'] as const).map((currency) => `('${chain}', '${currency}', '${tokenOf(chain, currency)}')`)).join(', ')})`;

/** The tables with the most rows, whose indexes are made after them. */
const largeTables = [
  'profiles',
  'addresses',
  'address_links',
  'ibans',
  'orders',
  'leg_history',
  'credits',
  'payments',
  'entries',
  'postings',
  'events',
  'webhook_deliveries',
  'audit_log',
  'transactions',
  'transaction_attempts',
  ...chains.map((chain) => `${viewsSchema(chain)}.outcome`),
];

/** The steps of a generation. */
export interface HistoryPlan {
  /** One after the other. */
  first: Step[];
  /** Chains of steps; the chains do not depend on each other. */
  chains: Step[][];
}

/**
 * A ledger of finished orders with open ones at its end, which keeps what the service keeps: the book balances, tokens and states agree with it, and
 * events and deliveries are as old as the retention lets them get. All of it follows from the table `bench.orders`. Its indexes are filled at the end
 * ({@link unreadyIndexes}).
 */
export function historyPlan(size: HistorySize): HistoryPlan {
  return {
    first: [
      ['months', monthsOf(size.days)],
      ['index tables', indexTables],
      ['indexes put aside', putIndexesAside],
      ['customers', customersOf(size)],
      ['plan', planOf(size)],
      ['legs on chains', legsOnChains(size)],
      ['transactions', transactions],
      ['legs of the bank', legsOfBank],
    ],
    // The longest first.
    chains: [
      [
        ['entries', entries],
        ['postings', postings],
        ['balances', balances],
      ],
      [
        ['orders', ordersOfPlan],
        ['open orders', openOrders],
        ['events', events],
        ['deliveries', deliveries],
      ],
      [['legs', legs]],
      [['audit log', audit]],
      [['credits', credits]],
      [['payments', payments]],
      ...outcomes.map((statement): Step[] => [['indexed outcomes', statement]]),
      [['idempotency keys', keys]],
    ],
  };
}

/** SQL: the indexes that {@link historyPlan} has put aside, in the column `name`, the largest tables first. */
export const unreadyIndexes = `
  select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
  where not i.indisready and c.relkind = 'i' order by pg_relation_size(i.indrelid) desc`;

/** SQL: the tables and partitions with rows, in the column `name`, the largest first. */
export const tablesWithRows = `
  select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'bench') and pg_relation_size(c.oid) > 0
  order by pg_relation_size(c.oid) desc`;

/** Partitions of the months in which a table has rows. */
const monthsOf = (days: number) => `
  do $$ declare p record; m timestamptz; begin
    for p in select distinct parent from list_partitions() loop
      for m in select generate_series(date_trunc('month', now() - make_interval(days => 1 +
        case p.parent when 'events' then ${eventDays} when 'webhook_deliveries' then ${deliveryDays} else ${days} end), 'UTC'), now(), '1 month') loop
        perform make_partition(p.parent, m);
      end loop;
    end loop;
  end $$`;

/** Nothing is written into an index that is not ready, and `reindex` makes it ready. Those of referenced tables could not be dropped. */
const putIndexesAside = `
  create schema bench;
  update pg_index set indisready = false, indisvalid = false
  where indrelid in (
    select coalesce(p.inhrelid, t.oid) from (select name::regclass::oid as oid from unnest(array['${largeTables.join("', '")}']) name) t
    left join pg_inherits p on p.inhparent = t.oid)`;

/** The customers are as old as the first orders, so that what is asked about old profiles finds all of them. */
const customersOf = ({ customers, days }: HistorySize) => `
  create unlogged table bench.customers as select n, gen_random_uuid() as profile from generate_series(0, ${customers - 1}) n;
  insert into users (id, email, name) values ('${userId}', 'partner@example.com', 'Partner');
  insert into applications (id, kind, name, owner, approved_at) values ('${applicationId}', 'whitelabel', 'Partner', '${userId}', now());
  insert into webhook_subscriptions (id, application, url, types, secret)
    values ('${subscriptionId}', '${applicationId}', 'https://example.com/hook', '{order.created,order.updated}', 'none');
  insert into profiles (id, kind, name, state, application, created_at)
    select profile, 'personal', 'Customer ' || n, 'approved', '${applicationId}', now() - interval '${days} days' from bench.customers;
  insert into addresses (address, profile) select ${addressOf('n')}, profile from bench.customers;
  insert into address_links (address, chain, linked_by) select ${addressOf('n')}, chain, '${userId}' from bench.customers, unnest(array['${chains.join("', '")}']) chain;
  insert into ibans (id, profile, iban, bic, address, chain, state)
    select uuidv7(), profile, 'IS' || lpad(n::text, 24, '0'), 'MNTRIS22', ${addressOf('n')}, '${chains[0]}', 'approved' from bench.customers`;

/** A quarter of the orders is a single merchant's. One order in 1,000 is refused by the token, one in 500 redemptions is rejected. Issues are larger than redemptions, so that no supply is negative. */
const planOf = ({ orders, days, open, customers }: HistorySize) => `
  create unlogged table bench.orders as
  select n, id, kind, currency, t.chain, t.token, amount, profile, ${addressOf('c.n2')} as address, at, block, fate
  from (
    select n, gen_random_uuid() as id, case when n % 20 < 11 then 'issue' else 'redeem' end as kind, case when n % 7 = 0 then 'gbp' else 'eur' end as currency,
      case when n % 3 = 0 then '${chains[1]}' else '${chains[0]}' end as chain, (case when n % 20 < 11 then 20000 else 10000 end + n % 9973)::bigint as amount,
      case when n % 4 = 1 then 0 else (n * 7919::bigint % ${customers})::int end as customer, now() - (${orders} - n) * (interval '${days} days' / ${orders}) - interval '10 s' as at,
      case when n > ${orders} - ${open} then (case when n % 20 < 11 then (array['ready', 'sent', 'indexed'])[n % 3 + 1] else (array['ready', 'sent', 'indexed', 'paying'])[n % 4 + 1] end)
        when n % 20 < 11 and n % 997 = 0 then 'refused' when n % 20 >= 11 and n % 499 = 0 then 'rejected' else 'processed' end as fate
    from generate_series(1, ${orders}) n
  ) o join (select n as n2, profile from bench.customers) c on c.n2 = o.customer join ${tokens} t(chain, currency, token) using (chain, currency)
  cross join lateral (select (extract(epoch from at)::bigint - 1600000000) / 5 as block) b;
  analyze bench.orders;
  create unlogged table bench.unmatched as
    select n, now() - n * interval '5 minutes' as at, (1000 + n)::bigint as amount from generate_series(1, ${Math.ceil(orders / 1_500)}) n`;

const legsOnChains = ({ batch }: HistorySize) => `
  create unlogged table bench.legs as
  select ${idAt('at')} as leg, o.*, case when fate <> 'ready' then row_number() over (partition by chain, kind, currency, fate in ('ready', 'sent', 'indexed') order by n) / ${batch} end as lot,
    case when kind = 'issue' and fate <> 'ready' then row_number() over (partition by token, kind, fate = 'ready' order by n) - 1 end as sequence
  from bench.orders o`;

const transactions = `
  create unlogged table bench.transactions as
  select ${idAt('max(at)', 1)} as id, chain, kind, currency, lot, fate in ('sent', 'indexed') as is_open, max(block) + 1 as block, max(at) as at,
    row_number() over (partition by chain order by max(n)) - 1 as nonce, ${hex(`chain || kind || currency || lot || (fate in ('sent', 'indexed'))`, 32)} as hash
  from bench.legs where lot is not null group by chain, kind, currency, lot, fate in ('sent', 'indexed');
  alter table bench.transactions add primary key (chain, kind, currency, lot, is_open);
  insert into transactions (id, chain, signer, nonce, currency, kind, gas_limit, state, hash, block_number, gas_used, sent_at_block, created_at, mined_at)
    select id, chain, '${signerAddress}', nonce, currency, kind, 3000000, case when is_open then 'sent' else 'settled' end,
      case when not is_open then hash end, case when not is_open then block end, case when not is_open then 2000000 end, block - 1, at, case when not is_open then at end from bench.transactions;
  insert into transaction_attempts (hash, transaction, position, raw, max_fee_per_gas, max_priority_fee_per_gas, created_at)
    select hash, id, 0, case when at > now() - interval '30 days' then '0x' || repeat('ab', 4000) end, 1000000000, 1000000000, at from bench.transactions`;

const counterpart = `'{"identifier": {"standard": "iban", "iban": "DE89370400440532013000"}, "details": {"name": "Max Mustermann", "country": "DE"}}'`;
const isDone = `fate in ('processed', 'paying')`;
const isEnded = `fate in ('processed', 'refused', 'rejected')`;

const ordersOfPlan = `
  insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, message, signature, digest, state, placed_at, processed_at, rejected_reason, rejected_at, tx_hashes)
  select o.id, o.kind, profile, address, o.chain, o.currency, amount, ${counterpart}, 'Invoice ' || n, case when o.kind = 'redeem' then 'Send EUR ' || amount || ' to DE89370400440532013000 at ' || o.at end,
    case when o.kind = 'redeem' then ${hex('n::text', 32)} || repeat('ab', 33) end, case when o.kind = 'redeem' then ${hex(`'digest' || n`, 32)} end,
    case fate when 'processed' then 'processed' when 'refused' then 'rejected' when 'rejected' then 'rejected' when 'ready' then 'placed' else 'pending' end,
    o.at, case when fate = 'processed' then o.at + interval '20 s' end, case when fate in ('refused', 'rejected') then 'account is blocked' end,
    case when fate in ('refused', 'rejected') then o.at + interval '20 s' end, case when t.hash is null then '{}' else array[t.hash] end
  from bench.legs o left join bench.transactions t on t.chain = o.chain and t.kind = o.kind and t.currency = o.currency and t.lot = o.lot and t.is_open = (fate in ('sent', 'indexed'))`;

const openOrders = `
  insert into open_orders (id, profile, state, placed_at, address, is_dependent)
  select id, profile, state, placed_at, address, source_order is not null from orders where state in ('placed', 'pending')`;

const legsOfBank = `
  create unlogged table bench.bank_legs as select ${idAt('at', 2)} as leg, gen_random_uuid() as payment, o.id as order_id, o.n, o.kind, o.currency, o.amount, o.at, o.fate,
      case when fate in ('processed', 'refused') then 'done' when fate = 'paying' then 'sent' when fate = 'rejected' then 'void' else 'waiting' end as state
    from bench.orders o where o.kind = 'redeem' or fate = 'refused'`;

const legs = `
  insert into leg_history (id, order_id, kind, position, chain, currency, account, amount, outcome, token, sequence, transaction, tx_hash, block_number, reason, created_at, done_at, signed_by)
  select leg, o.id, o.kind, 0, o.chain, o.currency, address, amount,
    case when ${isDone} then 'done' when fate in ('refused', 'rejected') then 'refused' end,
    case when fate <> 'ready' then token end, sequence, t.id, case when ${isDone} then t.hash end, case when ${isDone} then t.block end,
    case when fate in ('refused', 'rejected') then 'account is blocked' end, o.at, case when ${isDone} or ${isEnded} then o.at + interval '15 s' end,
    case when o.kind = 'redeem' then 'key' else 'nobody' end
  from bench.legs o left join bench.transactions t on t.chain = o.chain and t.kind = o.kind and t.currency = o.currency and t.lot = o.lot and t.is_open = (fate in ('sent', 'indexed'));
  insert into leg_history (id, order_id, kind, position, currency, amount, outcome, created_at, done_at)
  select leg, order_id, case kind when 'redeem' then 'payout' else 'return' end, 1, currency, amount, case when state in ('done', 'void') then state end, at,
    case when state in ('done', 'void') then at + interval '20 s' end from bench.bank_legs;
  insert into open_legs (id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, due_at, state, token, sequence, transaction)
  select h.id, h.order_id, h.kind, h.position, h.chain, h.currency, h.account, h.amount, h.signed_by, h.created_at, h.created_at,
    coalesce(b.state, case when h.transaction is null then 'ready' else 'sent' end), h.token, h.sequence, h.transaction
  from leg_history h left join bench.bank_legs b on b.leg = h.id where h.outcome is null;
  update leg_history set token = null, sequence = null, transaction = null where outcome is null`;

/** Each credit that became an order, and those that did not. */
const credits = `
  insert into credits (reference, iban, currency, amount, payer, remittance, booked_on, source, state, order_id, received_at, bank_account)
  select '${bankAccount}:C' || n, 'IS' || lpad((n % 1000)::text, 24, '0'), currency, amount, '{"name": "Jón Jónsson", "iban": "IS140159260076545510730339"}',
    'Invoice ' || n, (at at time zone 'utc')::date, 'statement-' || n / 1000 || '.xml', 'matched', id, at, '${bankAccount}'
  from bench.orders where kind = 'issue';
  insert into credits (reference, currency, amount, payer, remittance, booked_on, source, state, reason, received_at, bank_account)
  select '${bankAccount}:U' || n, 'eur', amount, '{"name": "Jón Jónsson", "iban": "IS140159260076545510730339"}', 'no IBAN of ours', (at at time zone 'utc')::date, 'statement.xml',
    'unmatched', 'unknown iban', at, '${bankAccount}' from bench.unmatched`;

const payments = `
  insert into payments (id, kind, leg, currency, amount, creditor_name, creditor_iban, creditor_country, state, created_at, sent_at, decided_at, bank_account, booked_on)
  select payment, case kind when 'redeem' then 'payout' else 'return' end, leg, currency, amount, 'Max Mustermann', 'DE89370400440532013000', 'DE',
    case state when 'done' then 'accepted' else 'sent' end, at, at + interval '16 s', case state when 'done' then at + interval '20 s' end,
    case state when 'done' then '${bankAccount}' end, case state when 'done' then (at at time zone 'utc')::date end
  from bench.bank_legs where state in ('done', 'sent')`;

const outcomes = chains.map(
  (chain) => `
  insert into ${viewsSchema(chain)}.outcome (order_id, kind, tx_hash, log_index, token, account, amount, sequence, message_hash, refused, block_number)
  select o.id::text, o.kind, t.hash, (n % 1000)::int, token, address, amount * 1e16, sequence, case when o.kind = 'redeem' then ${hex(`'digest' || n`, 32)} end,
    case when fate in ('refused', 'rejected') then 'account is blocked' end, t.block
  from bench.legs o join bench.transactions t on t.chain = o.chain and t.kind = o.kind and t.currency = o.currency and t.lot = o.lot and t.is_open = (fate in ('sent', 'indexed'))
  where o.chain = '${chain}' and fate <> 'sent';
  insert into ${viewsSchema(chain)}.supply select token, sum(case o.kind when 'issue' then amount else -amount end), sum(amount) filter (where o.kind = 'issue'), sum(amount) filter (where o.kind = 'redeem')
    from (select token, kind, amount from ${viewsSchema(chain)}.outcome where refused is null) o group by token;
  insert into ${viewsSchema(chain)}.balance select token, account, greatest(0, sum(case kind when 'issue' then amount else -amount end))
    from ${viewsSchema(chain)}.outcome where refused is null group by token, account`,
);

/** As docs/book.md says of each kind of entry. */
const entries = `
  create unlogged table bench.entries as
  select ${idAt('at')} as id, kind, source, booked_on, at, debit, credit, currency, amount from (
    select 'credit' as kind, '${bankAccount}:C' || n as source, at, 'assets:bank:${bankAccount}' as debit, 'liabilities:issue' as credit, currency, amount from bench.orders where kind = 'issue'
    union all select 'credit', '${bankAccount}:U' || n, at, 'assets:bank:${bankAccount}', 'liabilities:suspense', 'eur', amount from bench.unmatched
    union all select 'issued', leg::text, at + interval '15 s', 'liabilities:issue', 'liabilities:tokens:' || chain, currency, amount from bench.legs where kind = 'issue' and fate = 'processed'
    union all select 'issue-refused', leg::text, at + interval '15 s', 'liabilities:issue', 'liabilities:return', currency, amount from bench.legs where fate = 'refused'
    union all select 'redeemed', leg::text, at + interval '15 s', 'liabilities:tokens:' || chain, 'liabilities:payout', currency, amount from bench.legs where kind = 'redeem' and ${isDone}
    union all select 'payment-sent', payment::text, at + interval '16 s', case kind when 'redeem' then 'liabilities:payout' else 'liabilities:return' end, 'liabilities:payments', currency, amount
      from bench.bank_legs where state in ('done', 'sent')
    union all select 'payment-booked', payment::text, at + interval '20 s', 'liabilities:payments', 'assets:bank:${bankAccount}', currency, amount from bench.bank_legs where state = 'done'
  ) e cross join lateral (select (at at time zone 'utc')::date as booked_on) d order by at;
  insert into entries (id, kind, source, booked_on, at) select id, kind, source, booked_on, at from bench.entries`;

const postings = `
  insert into postings (entry, position, account, currency, amount, booked_on)
  select id, p.position, p.account, currency, p.amount, booked_on from bench.entries e cross join lateral (values (0, e.debit, e.amount), (1, e.credit, -e.amount)) p(position, account, amount)`;

/** What the trigger and the roll-forward would have made of them. */
const balances = `
  insert into account_days (account, currency, day, debited, credited)
    select account, currency, booked_on, coalesce(sum(amount) filter (where amount > 0), 0), coalesce(-sum(amount) filter (where amount < 0), 0) from postings group by 1, 2, 3;
  insert into balances (account, currency, debited, credited) select account, currency, sum(debited), sum(credited) from account_days group by 1, 2`;

const events = `
  insert into events (id, type, profile, subject, data, created_at, sequence, position) overriding system value
  select ${idAt('at')}, type, profile, order_id, data, at, row_number() over (order by at), row_number() over (order by at) from (
    select 'order.created' as type, o.profile, o.id as order_id, order_event_data(o) as data, placed_at as at from orders o where placed_at > now() - interval '${eventDays} days'
    union all
    select 'order.updated', o.profile, o.id, order_event_data(o), placed_at + interval '20 s' from orders o
    where placed_at > now() - interval '${eventDays} days' and state in ('processed', 'rejected')
  ) e order by at`;

/** The newest hundred are pending. */
const deliveries = `
  insert into webhook_deliveries (id, subscription, event, type, subject, sequence, state, attempts, age_begins_at, next_attempt_at, last_status, last_duration, history, created_at, ended_at)
  select delivery_id(id, '${subscriptionId}'), '${subscriptionId}', id, type, subject, sequence,
    case when is_new then 'pending' else 'delivered' end, case when is_new then 0 else 1 end, case when is_new then null else created_at end, created_at,
    case when is_new then null else 200 end, 20, '[{"at": "2026-01-01T00:00:00Z", "status": 200, "duration": 20}]', created_at, case when is_new then null else created_at end
  from (select *, sequence > max(sequence) over () - 100 as is_new from events where created_at > now() - interval '${deliveryDays} days') e order by e.created_at`;

const audit = `
  insert into audit_log (id, at, actor_kind, actor, action, subject_kind, subject, detail)
  select ${idAt('at')}, at, 'application', '${applicationId}', 'order.place', 'order', id::text,
    jsonb_build_object('profile', profile, 'address', address, 'chain', chain, 'currency', currency, 'amount', amount)
  from bench.orders where kind = 'redeem' order by at`;

const keys = `
  insert into idempotency_keys (id, fingerprint, claimed_until, status, content_type, body, created_at)
  select sha256(id::text::bytea), sha256('x'), at, 200, 'application/json', repeat('x', 800), at from bench.orders where kind = 'redeem' and at > now() - interval '${keyDays} days'`;

/** What comes after everything is made. */
export const lastStep: Step = [
  'sequences',
  `
  select setval('event_positions', greatest(1, (select count(*) from events))), setval(pg_get_serial_sequence('events', 'sequence'), greatest(1, (select count(*) from events)));
  insert into token_sequences (chain, token, next) select chain, token, max(sequence) + 1 from bench.legs where kind = 'issue' group by chain, token;
  drop schema bench cascade`,
];
