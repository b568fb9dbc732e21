import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadSettings } from '../../src/platform/settings.ts';
import { money, testRail } from './bank-rail.ts';

const rail = testRail({ isShared: true });

const bankFile = (name: string) =>
  readFileSync(path.join(import.meta.dirname, '../bank/iso20022/banks', name), 'utf8').replaceAll('NL56AGDH9619008421', rail.customer.iban);

const settings = (accounts: string) =>
  loadSettings({ DATABASE_URL: 'postgres://', MINTRAIL_ENVIRONMENT: 'sandbox', BANK_INTRADAY: accounts });

const report = () => bankFile('de-savings-bank.camt.052.001.08.xml');

it.each(['', 'DE75512108001245126199'])('an intraday report is refused while the setting is "%s", with what to set', async (accounts) => {
  const refusal: unknown = await rail.import(report(), { settings: settings(accounts) }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code: 'intraday_not_set', message: expect.stringContaining('set BANK_INTRADAY=DE89370400440532013000') });
  expect((await rail.refusalOf(report())).code).toBe('intraday_not_set');
  expect(await money(rail.ledger)).toEqual([]);
});

it('an intraday report issues what is booked, and the statement of the day the rest', async () => {
  const intraday = await rail.import(report(), { settings: settings('532013000') });
  expect(intraday).toMatchObject({ message: 'camt.052', counts: { issued: 1, unmatched: 0 }, skipped: { not_booked: 2 } });
  const later = report().replace('0752C522026112011300400', '0752C522026112012000000');
  for (const [accounts, version] of [
    ['all', 'a'],
    ['de89 3704 0044 0532 0130 00', 'b'],
  ] as const) {
    const again = await rail.import(later.replace('0752C', version), { settings: settings(accounts) });
    expect(again).toMatchObject({ state: 'applied', counts: { issued: 0, known: 1 } });
  }

  const statement = await rail.import(bankFile('de-savings-bank.camt.053.001.08.xml'));
  expect(statement).toMatchObject({ message: 'camt.053', counts: { issued: 1, known: 1, unmatched: 0, skipped: 0 } });
  expect(await money(rail.ledger)).toEqual(['2026112010041388000 25000 matched', '2026112014220911000 8000 matched']);
});

it('an intraday report issues nothing for a booked credit without a reference, under which its statement could come', async () => {
  const unreferenced = report()
    .replace('<AcctSvcrRef>2026112010041388000</AcctSvcrRef>', '<AcctSvcrRef>NONREF</AcctSvcrRef>')
    .replaceAll('250.00', '251.00');
  expect(await rail.import(unreferenced, { settings: settings('all') })).toMatchObject({
    counts: { issued: 0, unmatched: 0 },
    skipped: { unreferenced: 1, not_booked: 2 },
  });
});
