import { type KyselyPlugin, sql } from 'kysely';
import { expect, it } from 'vitest';
import { findUnrecordedOutcomes } from '../../../src/ledger/recovery/unrecorded-outcomes.ts';
import { testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();

const count = 1_000;
/** Issues and redemptions, as the index has them: one more of each than the ledger has kept. */
const outcomes = sql`(
  select k.kind, '0x' || i as tx_hash, i::bigint as block_number, '0x01'::text as token, uuidv7() as order_id, '0xa'::text as account,
    1e16::numeric as amount, case when k.kind = 'issue' then i::numeric end as sequence,
    case when k.kind = 'redeem' then '0x' || i end as message_hash, null::text as refused
  from generate_series(0, ${count}::int) i, (values ('issue'), ('redeem')) k(kind))`;

const filter = { chain: 'chiado', tokens: { eur: '0x01' }, outcomes, limit: 10 } as const;

/** Has a statement's plan answered instead of its rows. */
const explain: KyselyPlugin = {
  transformQuery: ({ node }) =>
    node.kind === 'RawNode' ? { ...node, sqlFragments: [`explain ${node.sqlFragments[0]}`, ...node.sqlFragments.slice(1)] } : node,
  transformResult: async ({ result }) => result,
};

it('unrecorded outcomes are found by a lookup for each outcome, however many are kept', async () => {
  await sql`
    insert into unrecorded_outcomes (chain, kind, token, currency, order_id, account, amount, sequence, digest, tx_hash, block_number)
    select 'chiado', o.kind, o.token, 'eur', o.order_id, o.account, 1, o.sequence, o.message_hash, o.tx_hash, o.block_number
    from ${outcomes} o where o.block_number > 0`.execute(ledger);
  await sql`analyze unrecorded_outcomes`.execute(ledger);
  const found = await findUnrecordedOutcomes(ledger, filter);
  expect(found.map(({ kind, txHash }) => `${kind} ${txHash}`).sort()).toEqual(['issue 0x0', 'redeem 0x0']);
  const { wakeUps, quotas } = ledger;
  const lines = await findUnrecordedOutcomes(Object.assign(ledger.withPlugin(explain), { wakeUps, quotas }), filter);
  const plan = lines.flatMap((line) => Object.values(line)).join('\n');
  expect(plan).toContain('unrecorded_outcomes');
  expect(plan).not.toContain('Join Filter');
});
