import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { listTokenOpenings, recordTokenOpening, type TokenOpening } from '../../../src/ledger/lanes/token-openings.ts';
import type { LowerAddress } from '../../../src/platform/addresses.ts';
import { minorUnits, toMinorUnits, tokenUnits } from '../../../src/platform/money.ts';
import { journal } from '../book/journal.ts';
import { testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();

const openingOf = (byte: string): TokenOpening => ({
  chain: 'gnosis',
  token: `0x${byte.repeat(20)}` as LowerAddress,
  currency: 'eur',
  block: 100n,
  supply: toMinorUnits(tokenUnits(5n * 10n ** 18n)),
});
const nextOf = async ({ token }: TokenOpening) =>
  (await ledger.selectFrom('tokenSequences').where('token', '=', token).select('next').executeTakeFirstOrThrow()).next;

it('the numbers of a token begin where the contract has used none, also if a lane has counted before', async () => {
  const [fresh, counted] = [openingOf('aa'), openingOf('bb')];
  await sql`insert into token_sequences (chain, token, next) values ('gnosis', ${counted.token}, 3)`.execute(ledger);
  for (const opening of [fresh, counted]) await recordTokenOpening(ledger, opening, 40n);
  expect([await nextOf(fresh), await nextOf(counted)]).toEqual([40n, 40n]);
});

it('what was in circulation before is booked against the openings, once, and nothing when it is nothing', async () => {
  const opening = openingOf('dd');
  for (const supply of [opening.supply, minorUnits(1n)]) await recordTokenOpening(ledger, { ...opening, supply }, 0n);
  await recordTokenOpening(ledger, { ...openingOf('ee'), supply: minorUnits(0n) }, 0n);
  expect(await journal(ledger, `gnosis:${opening.token}`)).toEqual(['opening: equity:openings -> liabilities:tokens:gnosis 5.00 eur']);
  expect(await journal(ledger, `gnosis:${openingOf('ee').token}`)).toEqual([]);
});

it('a token is opened once, and its numbers never go back', async () => {
  const opening = openingOf('cc');
  await recordTokenOpening(ledger, opening, 40n);
  await sql`update token_sequences set next = 50 where token = ${opening.token}`.execute(ledger);
  await recordTokenOpening(ledger, { ...opening, supply: toMinorUnits(tokenUnits(9n * 10n ** 18n)) }, 45n);
  expect(await nextOf(opening)).toBe(50n);
  expect((await listTokenOpenings(ledger)).filter(({ token }) => token === opening.token)).toEqual([opening]);
});
