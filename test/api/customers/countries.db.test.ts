import { beforeAll, describe, expect, it } from 'vitest';
import { createTestApi } from '../support/test-api.ts';
import { type Redeemer, redeemer } from '../orders/redeeming.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);
let caller: Redeemer;
beforeAll(async () => void (caller = await redeemer(api)));

describe('GET /countries', () => {
  it('lists every entry of ISO 3166-1, and Kosovo, with both risks, without a bearer token', async () => {
    const { status, json } = await api.send('GET', '/countries');
    expect([status, json.total, json.countries.length]).toEqual([200, 250, 250]);
    const codes = json.countries.map(({ code }: { code: string }) => code);
    expect(codes).toEqual([...new Set<string>(codes)].toSorted());
    expect(json.countries.find(({ code }: { code: string }) => code === 'IS')).toEqual({
      name: 'Iceland',
      code: 'IS',
      nationality: 'low',
      residency: 'low',
    });
    const risks = new Set(json.countries.flatMap(({ nationality, residency }: Record<string, string>) => [nationality, residency]));
    expect(risks).toEqual(new Set(['low', 'medium', 'high', 'restricted', 'prohibited']));
  });
});

const place = async (iban: string, country: string) => {
  const order = await caller.order({ counterpart: { identifier: { standard: 'iban', iban }, details: { name: 'Max Meier', country } } });
  return (await caller.post('/orders', order)).json.errors;
};

describe('an order to a country that is not served', () => {
  it('is refused by the country of the payee', async () => {
    const iban = 'DE89370400440532013000';
    expect(await place(iban, 'KP')).toEqual({ 'counterpart.details.country': 'is prohibited: North Korea (KP) is not served (residency)' });
    expect(await place(iban, 'XX')).toEqual({ 'counterpart.details.country': 'is not a country code of ISO 3166-1 alpha-2' });
    expect(await place(iban, 'XK')).toBeUndefined();
  });

  it('is refused by the country of the account; one without an entry is on no list', async () => {
    const russian = 'RU0204452560040702810412345678901';
    expect(await place(russian, 'DE')).toEqual({ 'counterpart.identifier.iban': 'is restricted: Russia (RU) is not served (residency)' });
    expect(await place('XK051212012345678906', 'DE')).toEqual({ 'counterpart.identifier.iban': 'cannot receive euro: XK is not in SEPA' });
  });
});
