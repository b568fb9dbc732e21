import { type RawBuilder, sql } from 'kysely';
import type { LedgerTransaction } from '../../ledger.ts';
import { listBookings, sameNumberDays } from './bank-statements.ts';

/**
 * A document is a page of a statement: that opens with its first page and closes with its last one, where pages have balances of their own, and lists what its pages without
 * balances list. Notes the first page that has not come.
 */
export async function joinPages(tx: LedgerTransaction, document: string): Promise<void> {
  await sql`
    with pages as materialized (${pagesWith(document)}), missing as (
      select min(n.page) as page from (select 1 as page union all select page + 1 from pages where not is_last_page) n
      where n.page not in (select page from pages)
    )
    update bank_statements s set file = null, missing_page = m.page,
      opening = coalesce(${balanceOf('opening', sql`p.page, p.id desc`)}, s.opening),
      closing = coalesce(${balanceOf('closing', sql`p.page desc, p.id desc`)}, s.closing)
    from missing m where s.id in (select unnest(statements) from pages)
  `.execute(tx);
  const { rows } = await sql<{ statements: string[]; references: string[] }>`
    with pages as materialized (${pagesWith(document)}), joined as (
      update bank_documents d set statements = s.ids from (select array_agg(distinct row) as ids from pages p, unnest(p.statements) row) s
      where d.id in (select id from pages) and d.statements = '{}' and s.ids is not null returning d.id, d.statements
    )
    select j.statements, array_agg(coalesce(m.credit, m.debit)) as "references"
    from joined j join bank_reports r on r.document = j.id join report_money m on m.report = r.id group by j.id, j.statements
  `.execute(tx);
  for (const { statements, references } of rows) await listBookings(tx, statements, references);
}

/** SQL: a document with the other pages of its statement. One without balances may say no day. */
function pagesWith(document: string): RawBuilder<unknown> {
  return sql`
    select o.* from bank_documents d join bank_documents o on o.account = d.account and o.kind = d.kind and o.name = d.name
      and o.closed_on between d.closed_on - ${sameNumberDays}::integer and d.closed_on + ${sameNumberDays}::integer
      and (o.closed_on = d.closed_on or o.created = d.created or o.statements && d.statements)
    where d.id = ${document}::uuid and o.page is not null`;
}

/** SQL: the balance of the statement `s` on the first of the pages that has one. */
function balanceOf(name: 'opening' | 'closing', order: RawBuilder<unknown>): RawBuilder<unknown> {
  const balance = sql`p.balances -> s.currency ->> ${sql.lit(name)}`;
  return sql`(select (${balance})::bigint from pages p where ${balance} is not null order by ${order} limit 1)`;
}
