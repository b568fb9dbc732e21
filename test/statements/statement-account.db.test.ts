import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/platform/settings.ts';
import { el, masterIban, type StatementSpec, virtualIban } from '../bank/iso20022/camt/statement-xml.ts';
import { payment, testRail } from './bank-rail.ts';

const rail = testRail({ isShared: true });

const settings = (env: Record<string, string>) => loadSettings({ DATABASE_URL: 'postgres://', ...env });
const at = (iban: string): Pick<StatementSpec, 'account'> => ({ account: el('Id', el('IBAN', iban)) });
let number = 0;
const spec = (more: Partial<StatementSpec> = {}): StatementSpec => {
  number += 1;
  const amount = `${60 + number}.00`;
  const entry = { amount, reference: `A${number}`, transactions: [payment(rail.customer.iban, amount)] };
  return { id: `S${number}`, entries: [entry], ...more };
};
const orders = async () => (await rail.ledger.selectFrom('orders').select('id').execute()).length;

describe('a statement of an account that is not set', () => {
  it.each([
    ['BANK_ACCOUNT names another', { BANK_ACCOUNT: 'DE89370400440532013000' }, 'which is DE89370400440532013000'],
    ['BANK_ACCOUNT is not set in production', {}, 'BANK_ACCOUNT, which is not set'],
  ])('is refused as a whole when %s', async (_, env, text) => {
    const before = await orders();
    const refusal: unknown = await rail.import(spec(), { settings: settings(env) }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'statement_account_unknown', message: expect.stringContaining(masterIban) });
    expect(refusal).toMatchObject({ message: expect.stringContaining(text) });
    expect(await orders()).toBe(before);
    expect(await rail.ledger.selectFrom('bankFiles').select('hash').execute()).toEqual([]);
  });

  it('is refused when a part of the number of BANK_ACCOUNT is its own number', async () => {
    const account = el('Id', el('Othr', el('Id', '80604')));
    const refusal = rail.import(spec({ account }), { settings: settings({ BANK_ACCOUNT: masterIban }) });
    await expect(refusal).rejects.toMatchObject({ code: 'statement_account_unknown' });
  });

  it('is refused also when it has no entries', async () => {
    await expect(
      rail.import({ ...at(virtualIban), entries: [] }, { settings: settings({ BANK_ACCOUNT: masterIban }) }),
    ).rejects.toMatchObject({
      code: 'statement_account_unknown',
    });
  });
});

describe('a statement counts', () => {
  it.each([
    ['of the account that is set', { BANK_ACCOUNT: masterIban }, {}],
    ['of one of several accounts', { BANK_ACCOUNT: `gbp:DE89370400440532013000,eur:${masterIban}` }, {}],
    [
      'that names the account by its domestic number',
      { BANK_ACCOUNT: masterIban },
      { account: el('Id', el('Othr', el('Id', '8060476890'))) },
    ],
    ['of any account in a sandbox without BANK_ACCOUNT', { MINTRAIL_ENVIRONMENT: 'sandbox' }, {}],
    [
      'that names a customer’s IBAN from the range',
      { BANK_ACCOUNT: masterIban, BANK_IBAN_COUNTRY: 'NL', BANK_IBAN_PREFIX: 'AGDH' },
      at(virtualIban),
    ],
  ])('%s', async (_, env, more) => {
    expect(await rail.import(spec(more), { settings: settings(env) })).toMatchObject({ counts: { issued: 1 } });
  });

  it('that names a customer’s assigned IBAN', async () => {
    const more = at(rail.customer.iban);
    const report = await rail.import(spec({ ...more, message: 'camt.054' }), { settings: settings({ BANK_ACCOUNT: masterIban }) });
    expect(report).toMatchObject({ counts: { issued: 1 } });
    const credits = await rail.ledger
      .selectFrom('credits')
      .select('bankAccount')
      .distinct()
      .where('iban', '=', rail.customer.iban)
      .execute();
    expect(credits).toContainEqual({ bankAccount: masterIban });
  });
});

it('has an account for each currency of which there is a token', () => {
  const tokens = { GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)},gbp:0x${'2'.repeat(40)}` };
  expect(() => settings({ ...tokens, BANK_ACCOUNT: `eur:${masterIban}` })).toThrow('has no account for gbp');
  expect(() => settings({ BANK_ACCOUNT: 'chf:NL26' })).toThrow('eur:IBAN');
  expect(settings({ ...tokens, BANK_ACCOUNT: `eur:A1,B2` }).bankAccounts).toEqual([{ account: 'A1', currency: 'eur' }, { account: 'B2' }]);
});
