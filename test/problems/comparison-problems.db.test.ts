import { expect, it } from 'vitest';
import { recordGenesisHash } from '../../src/ledger/lanes/networks.ts';
import { recordBreach, updateBreach } from '../../src/ledger/reserve/breaches.ts';
import { compareAmounts } from '../../src/ledger/reserve/comparison.ts';
import { recordComparisons } from '../../src/ledger/reserve/comparisons.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { comparisonProblems } from '../../src/problems/comparison-problems.ts';
import { testLedger } from '../support/test-ledger.ts';

const { ledger } = testLedger();
const token = `0x${'7'.repeat(40)}`;
const { networks } = loadSettings({
  DATABASE_URL: 'postgres://unused',
  GNOSIS_TOKENS: `eur:${token}`,
  GNOSIS_RPC_URLS: 'http://127.0.0.1:1',
});

async function problemsAfter(minutes: number) {
  const problems = await comparisonProblems(ledger, networks, new Date(Date.now() + minutes * 60_000));
  return problems.map(({ kind, chain, subject }) => [kind, chain, subject].join(' '));
}

const nodes = { comparison: 'nodes', currency: 'eur', account: 'liabilities:tokens:gnosis', chain: 'gnosis' } as const;
const equal = { expected: minorUnits(1n), actual: minorUnits(1n), items: [] };

it('names what has not been compared for ten minutes, once the network is in use, and the breaches', async () => {
  expect(await problemsAfter(60)).toEqual([]);
  await recordGenesisHash(ledger, { chain: 'gnosis', chainId: 100n, genesisHash: 'test' });
  expect(await problemsAfter(9)).toEqual([]);
  expect(await problemsAfter(11)).toContain('comparison_missing gnosis nodes eur');
  await recordComparisons(ledger, [compareAmounts(nodes, equal)]);
  expect(await problemsAfter(9)).toEqual([]);
  expect(await problemsAfter(11)).toContain('comparison_missing gnosis nodes eur');
  await recordBreach(ledger, nodes, minorUnits(5n));
  const [breach] = await comparisonProblems(ledger, networks, new Date());
  expect(breach).toMatchObject({ kind: 'breach_nodes', chain: 'gnosis', subject: 'eur liabilities:tokens:gnosis' });
  expect(breach?.text).toContain('mintrail reconcile acknowledge eur --comparison nodes');
  expect(breach?.text).toContain('restored from a back-up, do not acknowledge anything, or money moves twice: follow docs/restore.md');
  await updateBreach(ledger, nodes, minorUnits(0n));
  const [agreeing] = await comparisonProblems(ledger, networks, new Date());
  expect(agreeing?.text).toMatch(/^eur is not issued, because .* differed on liabilities:tokens:gnosis, and agree now: find the cause\. /);
  expect(agreeing?.text).toContain('first end the recovery (`mintrail recover`, docs/restore.md)');
  expect(agreeing?.text).not.toContain('do not acknowledge');
});

const bank = (account: string) =>
  compareAmounts({ comparison: 'bank', currency: 'eur', account: `assets:bank:${account}`, chain: '' }, equal);

it('forgets an account that is compared no more', async () => {
  await recordComparisons(ledger, [bank('A'), bank('B')]);
  await recordComparisons(ledger, [bank('B')]);
  const rows = await ledger.selectFrom('comparisons').where('comparison', '=', 'bank').select('account').execute();
  expect(rows).toEqual([{ account: 'assets:bank:B' }]);
});

it('keeps the last result of a currency that has none for a while beside others', async () => {
  const gbp = { ...nodes, currency: 'gbp' };
  await recordComparisons(ledger, [compareAmounts(nodes, equal), compareAmounts(gbp, equal)]);
  await recordComparisons(ledger, [compareAmounts(gbp, equal)], [nodes, gbp]);
  const rows = await ledger.selectFrom('comparisons').where('comparison', '=', 'nodes').orderBy('currency').select('currency').execute();
  expect(rows).toEqual([{ currency: 'eur' }, { currency: 'gbp' }]);
});
