/**
 * What the tables that are derived from others must hold: SQL of what they hold, and of the same made again of the rows that they are derived from. A row of
 * `balances` and the changes that are not folded into it yet are one balance.
 */
export const derivedTables: Readonly<Record<string, { stored: string; made: string }>> = {
  open_orders: {
    stored: 'select id, profile, state, placed_at, address, is_dependent from open_orders',
    made: `select id, profile, state, placed_at, address, source_order is not null from orders where state in ('placed', 'pending')`,
  },
  redemption_sums: {
    stored: `select account, chain, currency, sum(case side when 'placed' then amount else -amount end)::numeric from redemption_sums
      group by 1, 2, 3 having sum(case side when 'placed' then amount else -amount end) <> 0`,
    made: `select account, chain, currency, sum(amount)::numeric from open_legs where kind = 'redeem' group by 1, 2, 3`,
  },
  quota_usage: {
    stored: 'select quota, owner, count::numeric, bytes::numeric from quota_usage where count <> 0 or bytes <> 0',
    made: `select 'profiles', application, count(*)::numeric, 0::numeric from profiles where application is not null group by 2
      union all select 'files', application, count(*), sum(size) from files where application is not null group by 2
      union all select 'user_files', uploaded_by, count(*), sum(size) from files group by 2`,
  },
  balances: {
    stored: `select account, currency, sum(debited), sum(credited) from (
        select account, currency, debited, credited from balances union all select account, currency, debited, credited from balance_changes
      ) b group by 1, 2`,
    made: `select account, currency, coalesce(sum(amount) filter (where amount > 0), 0), coalesce(-sum(amount) filter (where amount < 0), 0)
      from postings group by 1, 2`,
  },
  account_days: {
    stored: `select account, currency, day, sum(debited), sum(credited) from (
        select account, currency, day, debited, credited from account_days
        union all select account, currency, booked_on, debited, credited from balance_changes
      ) d group by 1, 2, 3`,
    made: `select account, currency, booked_on, coalesce(sum(amount) filter (where amount > 0), 0), coalesce(-sum(amount) filter (where amount < 0), 0)
      from postings group by 1, 2, 3`,
  },
  bank_bookings: {
    stored: 'select entry, account, currency, amount::numeric, booked_on, source from bank_bookings',
    made: `select p.entry, substr(p.account, length('assets:bank:') + 1), p.currency, sum(p.amount)::numeric, p.booked_on,
      regexp_replace(e.source, '(#again-[0-9]+|#left-[0-9]+|#replaced-[0-9]+)+$', '') from postings p join entries e on e.id = p.entry
      where p.account like 'assets:bank:%' and p.account <> 'assets:bank:sandbox' group by 1, 2, 3, 5, 6`,
  },
};

/** The tables whose rows differ from what they are derived from, each with one of the rows that differ. */
export async function differingTables(query: (statement: string) => Promise<{ row: string }[]>): Promise<string[]> {
  const differing: string[] = [];
  for (const [table, { stored, made }] of Object.entries(derivedTables)) {
    const [first] = await query(
      `select to_jsonb(d)::text as row from (((${stored}) except all (${made})) union all ((${made}) except all (${stored}))) d limit 1`,
    );
    if (first) differing.push(`${table}: ${first.row}`);
  }
  return differing;
}
