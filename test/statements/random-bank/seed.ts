import { sql } from 'kysely';
import { createRandom } from '../../simulation/random.ts';
import { customerOf } from '../../support/customer.ts';
import type { TestRail } from '../bank-rail.ts';
import { type BankDay, drawBankDay, hexOf, uuidOf } from './bank.ts';

/**
 * Empties the ledger for a seed, and draws its day. The customer, the secret of which ids of orders are made, and the numbers of rows are those of the seed: a
 * seed decides the same in every run.
 */
export async function startSeed(seed: number, rail: TestRail): Promise<BankDay> {
  const random = createRandom(seed).of('customer');
  const customer = customerOf({
    user: uuidOf(random.of('user')),
    profile: uuidOf(random.of('profile')),
    number: random.integer('number', 1, 999_999_999),
    privateKey: `0x${hexOf(random.of('key'), 64)}`,
  });
  Object.assign(rail.customer, customer);
  await rail.empty();
  await sql`update order_id_secret set secret = decode(${hexOf(random.of('secret'), 64)}, 'hex')`.execute(rail.ledger);
  await sql`alter table bank_reports alter column id restart`.execute(rail.ledger);
  return drawBankDay(seed, customer.iban);
}
