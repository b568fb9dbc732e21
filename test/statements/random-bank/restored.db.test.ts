import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { recover } from '../../../src/ledger/recovery/recover.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { masterIban } from '../../bank/iso20022/camt/statement-xml.ts';
import { testRail } from '../bank-rail.ts';
import { startSeed } from './seed.ts';
import { longestTestMs } from '../../support/patience.ts';

// `npm run bank -- --seeds 2000` runs more.
const isCampaign = process.env['BANK_SEEDS'] !== undefined;
const count = Number(process.env['BANK_SEEDS'] ?? 12);
const first = Number(process.env['BANK_FIRST'] ?? 1);

/** Seeds of which a file was refused when it was read again. */
const onceWrong = [40_085];

const rail = testRail({ isShared: true });
const settings = loadSettings({ DATABASE_URL: 'postgres://unused', BANK_ACCOUNT: masterIban });

/** The chain has issued these orders, of which the restored ledger knows nothing. */
async function issueOnChain(orders: readonly { id: string; amount: bigint }[]): Promise<void> {
  for (const [index, { id, amount }] of orders.entries())
    await sql`
      insert into unrecorded_outcomes (chain, kind, token, currency, order_id, account, amount, sequence, tx_hash, block_number)
      values ('chiado', 'issue', '0x12', 'eur', ${id}, ${rail.customer.address}, ${amount}, ${index + 1}, ${`0x${`${index + 1}`.padStart(64, '0')}`}, 9)
    `.execute(rail.ledger);
}

/** Imports a part of a random bank's files, loses the ledger after all of that was issued, and imports all files in another order. */
async function lostAndFound(seed: number): Promise<string[]> {
  const { files, reversals } = await startSeed(seed, rail);
  if (reversals.length > 0) return [];
  const known = files.slice(0, Math.ceil((files.length * ((seed % 3) + 1)) / 3));
  for (const file of known) await rail.import(file, { settings });
  const orders = await rail.ledger.selectFrom('orders').where('kind', '=', 'issue').select(['id', 'amount']).orderBy('id').execute();
  await rail.empty();
  await issueOnChain(orders);
  for (const file of files.toReversed()) await rail.import(file, { settings });
  const { openCount } = await recover(rail.ledger, { apply: true, operator: 'otto', defaultMemo: 'Memo', chains: [] });
  const legs = await rail.ledger.selectFrom('legs').where('kind', '=', 'issue').where('state', '=', 'done').select('id').execute();
  // What is held now, because another file came first, is open until an operator decides: nothing of the currency is issued before.
  if (legs.length + openCount === orders.length) return [];
  return [`${orders.length} were issued, ${legs.length} are done, and ${openCount} are open`];
}

it(
  `what was issued before a ledger was lost is recognised, in whatever order the files are read again: ${count} seeds`,
  { timeout: longestTestMs + count * 5_000 },
  async () => {
    const failed: string[] = [];
    const seeds = Array.from({ length: count }, (_, index) => first + index);
    for (const seed of isCampaign ? seeds : [...seeds, ...onceWrong]) {
      const problems = await lostAndFound(seed).catch((error: Error) => [error.message]);
      failed.push(...problems.map((problem) => `seed ${seed}: ${problem}`));
    }
    expect(failed).toEqual([]);
  },
);
