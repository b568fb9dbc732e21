import { viewsSchema } from '../../src/indexed/schema-names.ts';
import type { Chain } from '../../src/platform/chains.ts';
import { loadSettings, type Settings } from '../../src/platform/settings.ts';

/** The networks and currencies of the generated ledger. */
export const chains = ['gnosis', 'polygon'] as const satisfies readonly Chain[];
const currencies = ['eur', 'gbp'] as const;

/** The bank account into which all credits are paid. */
export const bankAccount = 'IS140159260076545510730339';

/** The token of a currency on a chain. */
export function tokenOf(chain: (typeof chains)[number], currency: (typeof currencies)[number]): `0x${string}` {
  return `0x${chains.indexOf(chain) + 1}${currencies.indexOf(currency) + 1}${'a'.repeat(38)}`;
}

/** The settings of a service that works with the generated ledger. */
export function historySettings(databaseUrl: string): Settings {
  const networks = chains.map((chain) => [
    `${chain.toUpperCase()}_TOKENS`,
    currencies.map((currency) => `${currency}:${tokenOf(chain, currency)}`).join(','),
  ]);
  return loadSettings({ DATABASE_URL: databaseUrl, ...Object.fromEntries(networks) });
}

/** SQL: the tables of each network's index, as Ponder makes them (indexer/ponder.schema.ts). */
export const indexTables = chains
  .map((chain) => {
    const schema = viewsSchema(chain);
    return `
      create schema ${schema};
      create table ${schema}.outcome (order_id text not null, kind text not null, tx_hash text not null, log_index integer not null, token text not null,
        account text not null, amount numeric(78) not null, sequence numeric(78), message_hash text, refused text, block_number numeric(78) not null,
        primary key (order_id, kind, tx_hash, log_index));
      create index on ${schema}.outcome (token, sequence);
      create index on ${schema}.outcome (message_hash, account, token);
      create index on ${schema}.outcome (block_number);
      create table ${schema}.balance (token text not null, account text not null, amount numeric(78) not null, primary key (token, account));
      create table ${schema}.supply (token text primary key, amount numeric(78) not null, issued numeric(78) not null, redeemed numeric(78) not null);
      create table ${schema}._ponder_meta (key text primary key, value jsonb);
      create table ${schema}._ponder_checkpoint (latest_checkpoint text not null, finalized_checkpoint text not null);
      insert into ${schema}._ponder_meta values ('app', '{"is_ready": "1"}');
      insert into ${schema}._ponder_checkpoint
      select c, c from (select repeat('0', 26) || lpad('900000000', 16, '0') || repeat('0', 33)) block (c);`;
  })
  .join('');
