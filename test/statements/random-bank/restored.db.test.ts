import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { recover } from '../../../src/ledger/recovery/recover.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { masterIban, type StatementSpec } from '../../bank/iso20022/camt/statement-xml.ts';
import { testRail } from '../bank-rail.ts';
import { createCustomer, newCustomer } from '../../support/customer.ts';
import { startSeed } from './seed.ts';
import { drawBankWeek } from './week.ts';
import { longestTestMs } from '../../support/patience.ts';

// `npm run bank -- --seeds 2000` runs more.
const isCampaign = process.env['BANK_SEEDS'] !== undefined;
const count = Number(process.env['BANK_SEEDS'] ?? 5);
const first = Number(process.env['BANK_FIRST'] ?? 1);

/** Seeds of which a file was refused when it was read again. */
const onceWrong = [40_085];

const rail = testRail({ isShared: true });
const other = newCustomer(2);
const settings = loadSettings({ DATABASE_URL: 'postgres://unused', BANK_ACCOUNT: masterIban });

/** The chain has issued these orders, of which the restored ledger knows nothing. */
async function issueOnChain(orders: readonly { id: string; amount: bigint; address: string }[]): Promise<void> {
  for (const [index, { id, amount, address }] of orders.entries())
    await sql`
      insert into unrecorded_outcomes (chain, kind, token, currency, order_id, account, amount, sequence, tx_hash, block_number)
      values ('chiado', 'issue', '0x12', 'eur', ${id}, ${address}, ${amount}, ${index + 1}, ${`0x${`${index + 1}`.padStart(64, '0')}`}, 9)
    `.execute(rail.ledger);
}

/** Imports a part of a random bank's files, loses the ledger after all of that was issued, and imports all files in another order. */
async function lostAndFound(seed: number, files: readonly StatementSpec[]): Promise<string[]> {
  const known = files.slice(0, Math.ceil((files.length * ((seed % 3) + 1)) / 3));
  for (const file of known) await rail.import(file, { settings });
  const orders = await rail.ledger
    .selectFrom('orders')
    .where('kind', '=', 'issue')
    .select(['id', 'amount', 'address'])
    .orderBy('id')
    .execute();
  await rail.empty();
  await createCustomer(rail.ledger, 'chiado', other);
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
      const { files, reversals } = await startSeed(seed, rail);
      const drawn = [reversals.length > 0 ? [] : files, drawBankWeek(seed, [rail.customer.iban, other.iban]).files];
      const problems: string[] = [];
      for (const ofBank of drawn) {
        await startSeed(seed, rail);
        await createCustomer(rail.ledger, 'chiado', other);
        problems.push(...(await lostAndFound(seed, ofBank).catch((error: Error) => [error.message])));
      }
      failed.push(...problems.map((problem) => `seed ${seed}: ${problem}`));
    }
    expect(failed).toEqual([]);
  },
);
