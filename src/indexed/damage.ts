import { type QueryExecutorProvider, sql } from 'kysely';
import type { Chain } from '../platform/chains.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import type { NewestSettled } from './newest-rows.ts';
import { readProgress, readTables } from './progress.ts';
import { readIndexed } from './read-indexed.ts';
import { viewsSchema } from './schema-names.ts';

/** What is wrong with indexed rows, whatever their chain says. */
export interface FoundDamage {
  /** For the operator. */
  text: string;
  /** Whether balances cannot be trusted. */
  holdsBalances: boolean;
}

/** All that Ponder makes a view of at once. */
const viewNames = ['balance', 'outcome', 'supply', '_ponder_meta', '_ponder_checkpoint'];

/**
 * Looks for rows that are missing, doubled or changed, and for tables that are gone: what Ponder writes together must add up in each snapshot. Undefined
 * when it does, and while the indexer is not ready: before its first start there is no view, nothing is settled, and the tables in the schema `tables` do
 * not say that they are complete. Costs a look at every indexed row, so its caller makes it at a pace.
 */
export async function findDamage(
  database: QueryExecutorProvider,
  network: Pick<NetworkSettings, 'chain' | 'tokens'>,
  tables: string,
  newestSettled: NewestSettled,
): Promise<FoundDamage | undefined> {
  const missing = await missingViews(database, network.chain);
  const areGone = missing.length === viewNames.length;
  if (areGone && !(await hasSettled(database, network.chain, newestSettled)) && !(await readTables(database, tables))?.ready)
    return undefined;
  if (missing.length > 0) return { text: `${missing.join(', ')} of the index cannot be read`, holdsBalances: true };
  const progress = await readProgress(database, network.chain);
  if (progress === undefined) return { text: 'the index does not say how far it is', holdsBalances: false };
  return progress.ready ? findContradictions(database, network, newestSettled) : undefined;
}

/** Looks for rows of a complete index that do not add up. Undefined when they do, and while the index cannot be read. Costs a look at every indexed row. */
export async function findContradictions(
  database: QueryExecutorProvider,
  network: Pick<NetworkSettings, 'chain' | 'tokens'>,
  newestSettled: NewestSettled,
): Promise<FoundDamage | undefined> {
  const sums = (await readIndexed(() => sumsQuery(network, newestSettled).execute(database)))?.rows ?? [];
  const damages = sums.flatMap(contradictions);
  if (damages.length === 0) return undefined;
  return { text: damages.map(({ text }) => text).join('; '), holdsBalances: damages.some(({ holdsBalances }) => holdsBalances) };
}

async function missingViews(database: QueryExecutorProvider, chain: Chain): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${viewNames}::text[]) as name
    where to_regclass(format('%I.%I', ${viewsSchema(chain)}::text, name)) is null`.execute(database);
  return rows.map(({ name }) => name);
}

/** What is settled was indexed before. */
async function hasSettled(database: QueryExecutorProvider, chain: Chain, newestSettled: NewestSettled): Promise<boolean> {
  return (await sql`select from ${newestSettled(chain)} n`.execute(database)).rows.length > 0;
}

interface Sums {
  currency: string;
  /** Token units, in decimal digits. */
  supply: string;
  held: string;
  issued: string;
  issues: string;
  redeemed: string;
  redemptions: string;
  /** Whether a leg of the token is settled and the index has no outcome of it. */
  isEmptied: boolean;
}

function sumsQuery({ chain, tokens }: Pick<NetworkSettings, 'chain' | 'tokens'>, newestSettled: NewestSettled) {
  const schema = sql.id(viewsSchema(chain));
  const list = Object.entries(tokens).map(([currency, token]) => ({ currency, token }));
  return sql<Sums>`
    select t.currency, coalesce(s.amount, 0)::text as supply, coalesce(s.issued, 0)::text as issued, coalesce(s.redeemed, 0)::text as redeemed,
      (select coalesce(sum(b.amount), 0)::text from ${schema}.balance b where b.token = t.token) as held,
      coalesce(o.issues, 0)::text as issues, coalesce(o.redemptions, 0)::text as redemptions,
      o.token is null and exists (select from ${newestSettled(chain)} n where n.token = t.token) as "isEmptied"
    from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as t(currency text, token text)
    left join ${schema}.supply s on s.token = t.token
    left join (
      select token, sum(amount) filter (where kind = 'issue' and refused is null) as issues,
        sum(amount) filter (where kind = 'redeem' and refused is null) as redemptions
      from ${schema}.outcome group by token) o on o.token = t.token
    order by t.currency`;
}

function contradictions({ currency, supply, held, issued, issues, redeemed, redemptions, isEmptied }: Sums): FoundDamage[] {
  const damages: FoundDamage[] = [];
  if (held !== supply)
    damages.push({ text: `all balances of ${currency} are ${held} token units and its supply ${supply}`, holdsBalances: true });
  if (issues !== issued)
    damages.push({ text: `the issues of ${currency} are ${issues} token units, and ${issued} were issued`, holdsBalances: false });
  if (redemptions !== redeemed)
    damages.push({
      text: `the redemptions of ${currency} are ${redemptions} token units, and ${redeemed} were redeemed`,
      holdsBalances: false,
    });
  if (isEmptied) damages.push({ text: `the index has no outcome of ${currency}, of which orders are settled`, holdsBalances: true });
  return damages;
}
