import { expect, it } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { withoutPersonalData } from '../../src/platform/personal-data.ts';
import { withoutUrlSecrets } from '../../src/platform/url-secrets.ts';
import { processorMs } from '../support/processor-time.ts';

it.each([
  ['URL: https://rpc.example.com/v3/0123456789abcdef?key=s3cret', 'URL: https://rpc.example.com'],
  ['cannot connect to postgresql://mintrail:s3cret@db.internal:5432/mintrail', 'cannot connect to postgresql://db.internal:5432'],
  ['wss://user:s3cret@node.example.com/ws, then gave up', 'wss://node.example.com, then gave up'],
  ['"http://127.0.0.1:8545/s3cret" (two) and http://b.example/s3cret', '"http://127.0.0.1:8545" (two) and http://b.example'],
  ['no address at all', 'no address at all'],
])('an error text %s loses what may be a key', (text, shown) => {
  expect(withoutUrlSecrets(text)).toBe(shown);
});

it.each([
  ['the IBAN DE89370400440532013000 is closed', 'the IBAN DE89…3000 is closed'],
  ['the IBAN DE89 3704 0044 0532 0130 00 is closed', 'the IBAN DE89…3000 is closed'],
  ['de89370400440532013000', 'de89…3000'],
  ['with a typing error: DE00370400440532013000', 'with a typing error: DE00…3000'],
  ['first line\nIS140159260076545510730339', 'first line\nIS14…0339'],
  ['/ibans/IS140159260076545510730339', '/ibans/IS14…0339'],
  ['credit_IS140159260076545510730339_1', 'credit_IS14…0339_1'],
  ["the creditor's account 12345678 is not an IBAN", "the creditor's account …78 is not an IBAN"],
  ['Key (email)=(jane.doe+shop@example.co.uk) already exists.', 'Key (email)=([e-mail address]) already exists.'],
  ['jörg@müller.example', '[e-mail address]'],
])('%j is logged as %j', (text, shown) => {
  expect(withoutPersonalData(text)).toBe(shown);
});

it.each([
  'the account 0xcb444e90d8198415266c6a2724b7900fb12fc56e is not an IBAN',
  '0x9f2c1f4be0c3a1b2d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b',
  '019a9d3c-6f1e-7c33-8a51-1f0b7e8d6c11',
  'sealed with the key ab12cdef01234567, as of 2026-11-22T07:16:06.000Z',
  'it is16 then that they went home',
])('%j is logged as it is: it is public, or of no person', (text) => {
  expect(withoutPersonalData(text)).toBe(text);
});

it('a long text takes no longer to search than it is long', async () => {
  const longTexts = ['a'.repeat(200_000), 'a.'.repeat(100_000), 'DE89'.repeat(50_000), 'a b@'.repeat(50_000), 'DE89 3704 '.repeat(20_000)];
  const search = () => longTexts.map(withoutPersonalData);
  expect(await processorMs(1_000, search)).toBeLessThan(1_000);
});

/** What a log writes of one event. */
function logged(...values: Parameters<ReturnType<typeof createLog>['info']>): Record<string, unknown> & { text: string } {
  let text = '';
  createLog('info', {}, { write: (line) => void (text += line) }).info(...values);
  return { ...(JSON.parse(text) as Record<string, unknown>), text };
}

it('a line has no personal data and no secrets, wherever they stand in it', () => {
  const iban = 'DE89370400440532013000';
  const cause = new Error(`no payout to ${iban} of jane@example.com, by https://user:s3cret@rpc.example/s3cret`);
  const { text } = logged(
    {
      orderId: '019a9d3c-6f1e-7c33-8a51-1f0b7e8d6c11',
      alert: { reason: `to ${iban}`, deeper: [{ payer: { name: 'Jane Doe' }, secret: 's3cret' }] },
      counterpart: { details: { firstName: 'Jane' } },
      endpoint: 'https://user:s3cret@rpc.example/v1',
      body: '{"iban":"DE89"}',
      err: cause,
    },
    `refused for ${iban}`,
  );
  expect(text).not.toMatch(/Jane|s3cret|@|0532|"body"/i);
  expect(text).toContain('refused for DE89…3000');
  expect(text).toContain('019a9d3c-6f1e-7c33-8a51-1f0b7e8d6c11');
});

it('an error that is logged alone loses them, too', () => {
  expect(logged(new Error('no user jane@example.com at postgres://mintrail:s3cret@db/mintrail')).text).not.toMatch(/jane|s3cret/);
});
