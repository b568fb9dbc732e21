import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import type { Rpc } from '../../../src/chain/endpoints/rpc.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createLog } from '../../../src/platform/log.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { startSignerWarnings } from '../../../src/workers/warnings/signer-warnings.ts';
import { createPaymentsLedger } from '../../ledger/bank/payments-ledger.ts';
import { until } from '../../support/until.ts';

it('warns of an allowance and of gas money by what was used, until both are raised', async () => {
  const world = await createPaymentsLedger();
  const signer = lowerAddress(`0x${'5'.repeat(40)}`);
  const left = { allowance: 100n * 10n ** 18n, gas: 10n ** 18n };
  const rpc = {
    getBalance: () => Promise.resolve(left.gas),
    getFeeHistory: () => Promise.resolve({ baseFeePerGas: [10n] }),
    estimateMaxPriorityFeePerGas: () => Promise.resolve(0n),
    readContract: ({ functionName }: { functionName: string }) =>
      Promise.resolve(functionName === 'dailyMintLimit' ? 1_000n * 10n ** 18n : left.allowance),
  } as unknown as Rpc;
  const settings = loadSettings({ DATABASE_URL: world.url, CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}` });
  const network = settings.networks.chiado;
  if (!network) throw new Error('no network');
  const alarms = createAlarms(createLog('silent'));
  const registry = new Registry();
  const lane = { signer, held: true, inFlight: 0, nonceGaps: 0, outage: null };
  const deps = { settings, network, registry, ledger: world.ledger, rpc, log: createLog('silent'), alarms, lanes: () => [lane] };
  const loop = startSignerWarnings({ ...deps });
  const samples = async () => (await sql<{ used: string }>`select used from signer_amounts order by resource`.execute(world.ledger)).rows;
  const looks = async (when: () => boolean | Promise<boolean>) =>
    until('the signer was looked at', async () => {
      loop.wake();
      return (await when()) || undefined;
    });
  await looks(async () => (await samples()).length === 2);
  expect(alarms.list()).toEqual([]);
  // A day later it has issued 60 euros and used most of its gas money.
  await sql`update signer_amounts set day = day - 1`.execute(world.ledger);
  Object.assign(left, { allowance: 40n * 10n ** 18n, gas: 10n ** 17n });
  await looks(() => alarms.list().length === 2);
  expect(alarms.list().map(({ kind, subject }) => [kind, subject])).toEqual([
    ['allowance_low', `${signer} eur`],
    ['gas_money_low', signer],
  ]);
  // An endpoint that is behind shows older amounts for a moment: nothing was used twice.
  Object.assign(left, { allowance: 100n * 10n ** 18n });
  await looks(async () => (await samples()).some(({ used }) => used === '0'));
  Object.assign(left, { allowance: 40n * 10n ** 18n });
  await looks(async () => (await samples()).filter(({ used }) => used === `${60n * 10n ** 18n}`).length === 1);
  Object.assign(left, { allowance: 10_000n * 10n ** 18n, gas: 100n * 10n ** 18n });
  await looks(() => alarms.list().length === 0);
  expect(await registry.metrics()).toContain(`mintrail_signer_mint_allowance{chain="chiado",signer="${signer}",currency="eur"} 10000`);
  await loop.close();
  await world.close();
});
