import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageProblem, type AuthorizedPayment } from '../../../src/ledger/orders/payment-message.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { minorUnits } from '../../../src/platform/money.ts';

const now = Date.parse('2026-11-20T16:03:54Z');
const address = lowerAddress('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed');
const toBank: AuthorizedPayment = { currency: 'eur', amount: minorUnits(1050n), to: { standard: 'iban', iban: 'DE89370400440532013000' } };
const toChain: AuthorizedPayment = { currency: 'gbp', amount: minorUnits(100n), to: { standard: 'chain', address, chain: 'basesepolia' } };

const bank = (message: string) => messageProblem(message, toBank, now);
const chain = (message: string) => messageProblem(message, toChain, now);
const two = (value: number) => String(value).padStart(2, '0');
const at = (time: string) => bank(`Send EUR 10.50 to DE89370400440532013000 at ${time}`);

describe('the message of a payment to a bank account', () => {
  it.each([
    'Send EUR 10.50 to DE89370400440532013000 at 2026-11-20T16:03:54Z',
    'Send EUR 10.5 to DE89370400440532013000 at 2026-11-20T16:03:54Z',
    'Send EUR 010.50 to DE89370400440532013000 at 2026-11-20T16:03:54Z',
    'Send EUR 10.50 to DE89 3704 0044 0532 0130 00 at 2026-11-20T16:03:54Z',
    'Send EUR 10.50 to de89370400440532013000 at 2026-11-20T16:03:54Z',
    'Send EUR 10.50 to DE89...3000 at 2026-11-20T16:03:54Z',
    'Send EUR 10.50 to DE89 ... 3000 at 2026-11-20T16:03:54Z',
  ])('may read "%s"', (message) => expect(bank(message)).toBeUndefined());

  it.each([
    ['Send USD 10.50 to DE89...3000 at 2026-11-20T16:03:54Z', 'currency differs from the order'],
    ['Send EUR 10.51 to DE89...3000 at 2026-11-20T16:03:54Z', 'amount differs from the order'],
    [`Send EUR ${'9'.repeat(90)} to DE89...3000 at 2026-11-20T16:03:54Z`, 'amount differs from the order'],
    ['Send EUR 10.50 to DE89...3001 at 2026-11-20T16:03:54Z', 'IBAN differs from the order'],
    ['Send EUR 10.50 to DE88...3000 at 2026-11-20T16:03:54Z', 'IBAN differs from the order'],
    ['Send EUR 10.50 to DE89370400440532013001 at 2026-11-20T16:03:54Z', 'IBAN differs from the order'],
    ['Send EUR 10.50 to DE8...3000 at 2026-11-20T16:03:54Z', 'destination must be an IBAN, in full or shortened like DE89...3000'],
    [`Send EUR 10.50 to ${address} on chiado at 2026-11-20T16:03:54Z`, 'IBAN differs from the order'],
    ['Send EUR 10.50 to DE89...3000 at noon', 'timestamp must be RFC 3339, such as 2026-11-20T16:03:54Z'],
  ])('may not read "%s"', (message, problem) => expect(bank(message)).toBe(problem));

  it.each([
    'send EUR 10.50 to DE89...3000 at 2026-11-20T16:03:54Z',
    'Send eur 10.50 to DE89...3000 at 2026-11-20T16:03:54Z',
    'Send EUR  10.50 to DE89...3000 at 2026-11-20T16:03:54Z',
    'Send EUR 10.500 to DE89...3000 at 2026-11-20T16:03:54Z',
    'Send EUR 10. to DE89...3000 at 2026-11-20T16:03:54Z',
    'Send EUR .5 to DE89...3000 at 2026-11-20T16:03:54Z',
    'Send EUR 10,50 to DE89...3000 at 2026-11-20T16:03:54Z',
    'Send EUR -10.50 to DE89...3000 at 2026-11-20T16:03:54Z',
    'Send EUR 10.50 DE89...3000 at 2026-11-20T16:03:54Z',
    'Send EUR 10.50 to DE89...3000 at 2026-11-20T16:03:54Z ',
    'Send EUR 10.50 to DE89...3000 at 2026-11-20T16:03:54Z\n',
    ' Send EUR 10.50 to DE89...3000 at 2026-11-20T16:03:54Z',
    'Send EUR 10.50 to DE89...3000 at',
    '',
  ])('may not have the form "%s"', (message) =>
    expect(bank(message)).toBe('must read "Send {EUR|GBP|USD|ISK} {amount} to {IBAN} at {timestamp}"'),
  );
});

describe('the message of a payment to a chain', () => {
  it.each([
    `Send GBP 1 to ${address} on basesepolia at 2026-11-20T16:03Z`,
    'Send GBP 1 to 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed on base sepolia at 2026-11-20T16:03Z',
    'Send GBP 1.0 to 0x5aAe...eAed on basesepolia at 2026-11-20T16:03Z',
  ])('may read "%s"', (message) => expect(chain(message)).toBeUndefined());

  it.each([
    ['Send GBP 1 to 0x5aAe...eAee on basesepolia at 2026-11-20T16:03Z', 'address differs from the order'],
    [`Send GBP 1 to ${address.replace('5', '6')} on basesepolia at 2026-11-20T16:03Z`, 'address differs from the order'],
    [`Send GBP 1 to ${address} on base at 2026-11-20T16:03Z`, 'chain differs from the order'],
    [`Send GBP 1 to ${address} on atlantis at 2026-11-20T16:03Z`, 'chain differs from the order'],
    [
      'Send GBP 1 to DE89...3000 at 2026-11-20T16:03Z',
      'destination must be {address} on {chain}, the address in full or shortened like 0x1234...abcd',
    ],
  ])('may not read "%s"', (message, problem) => expect(chain(message)).toBe(problem));
});

describe('the timestamp', () => {
  it.each([
    '2026-11-20T17:03+01:00',
    '2026-11-20T16:03:54Z',
    '2026-11-20T16:03:54.123+00:00',
    '2026-11-20T16:03:54.123456789Z',
    '2026-11-20T15:58:54Z',
    '2026-11-20T10:33-05:30',
    '9999-12-31T23:59:59Z',
    '2028-02-29T00:00Z',
  ])('may be %s', (time) => expect(at(time)).toBeUndefined());

  it.each(['2026-11-20T15:58:53.999Z', '2026-11-20T16:03:54+00:06', '0000-01-01T00:00Z', '2024-02-29T00:00:00Z'])(
    'has expired when it is %s',
    (time) => expect(at(time)).toBe('timestamp is expired'),
  );

  it.each([
    '2026-11-20',
    '2026-11-20 16:03:54Z',
    '2026-11-20T16:03:54',
    '2026-11-20T16Z',
    '2027-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-12-00T00:00:00Z',
    '2026-11-31T00:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T16:60:00Z',
    '2026-11-20T16:03:60Z',
    '2026-11-20T16:03:54.Z',
    '2026-11-20T16:03:54+0100',
    '2026-11-20T16:03:54+24:00',
    '12026-11-20T16:03:54Z',
  ])('may not be %s', (time) => expect(at(time)).toMatch(/^(timestamp must be RFC 3339, such as 2026-11-20T16:03:54Z|must read .*)$/));

  it('names the moment that Date names, in every form that Date reads too', () => {
    const time = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    const offset = fc.integer({ min: -1_439, max: 1_439 });
    fc.assert(
      fc.property(time, offset, fc.integer({ min: -600_000, max: 600_000 }), (signedAt, minutes, age) => {
        const local = new Date(signedAt.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const absolute = Math.abs(minutes);
        const text = `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`;
        const problem = messageProblem(`Send EUR 10.50 to DE89...3000 at ${text}`, toBank, signedAt.getTime() + age);
        expect(problem).toBe(age > 300_000 ? 'timestamp is expired' : undefined);
      }),
    );
  });
});
