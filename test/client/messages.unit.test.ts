import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Payment, paymentMessage } from '../../client/index.ts';
import { messageProblem, type AuthorizedPayment } from '../../src/ledger/orders/payment-message.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { type Chain, chains } from '../../src/platform/chains.ts';
import { formatAmount, minorUnits, parseAmount } from '../../src/platform/money.ts';

const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const iban = 'DE89370400440532013000';
const payment: Payment = { currency: 'eur', amount: '10.50', to: { iban } };

const currency = fc.constantFrom('eur', 'usd', 'gbp', 'isk');
const cents = fc.bigInt({ min: 1n, max: 10n ** 17n - 1n });
const later = fc.integer({ min: -299_000, max: 250_000_000_000_000 }).map((ms) => new Date(Date.now() + ms));

/** The order that goes with a message, as the service keeps it. */
function orderOf({ currency, to }: Payment, amount: bigint): AuthorizedPayment {
  if ('iban' in to)
    return { currency, amount: minorUnits(amount), to: { standard: 'iban', iban: to.iban.replaceAll(' ', '').toUpperCase() } };
  return { currency, amount: minorUnits(amount), to: { standard: 'chain', address: lowerAddress(to.address), chain: to.chain as Chain } };
}

describe('a message to sign', () => {
  it('is accepted by the service for its own order and for no other', () => {
    const destination = fc.oneof(
      fc.constantFrom({ iban }, { iban: 'de89 3704 0044 0532 0130 00' }, { iban: 'IS140159260076545510730339' }),
      fc.constantFrom(...chains).map((chain) => ({ address, chain })),
    );
    fc.assert(
      fc.property(cents, currency, destination, later, (amount, currency, to, at) => {
        const given: Payment = { currency, amount: formatAmount(minorUnits(amount)), to, at };
        const message = paymentMessage(given);
        const order = orderOf(given, amount);
        expect(messageProblem(message, order, Date.now())).toBeUndefined();
        expect(messageProblem(message, { ...order, amount: minorUnits(amount + 1n) }, Date.now())).toBe('amount differs from the order');
        expect(messageProblem(message, order, at.getTime() + 300_001)).toBe('timestamp is expired');
      }),
    );
  });

  it('is written for no payment that the service would refuse, whatever was given', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[\d.,+eE -]{1,20}$/), fc.stringMatching(/^0?\d{1,17}(\.\d{0,3})?$/));
    const to = fc.oneof(
      fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z]{2}\d{2}[A-Za-z0-9 ]{8,34}$/), fc.constant(iban)).map((iban) => ({ iban })),
      fc.oneof(fc.string(), fc.stringMatching(/^0x[0-9a-fA-F]{39,41}$/)).map((address) => ({ address, chain: 'gnosis' as const })),
    );
    const at = fc.date({ noInvalidDate: false });
    fc.assert(
      fc.property(text, fc.oneof(currency, fc.string()), to, at, (amount, currency, to, at) => {
        const given = { currency, amount, to, at } as Payment;
        let message: string;
        try {
          message = paymentMessage(given);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
          return;
        }
        expect(messageProblem(message, orderOf(given, parseAmount(amount) as bigint), Date.now())).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[Partial<Payment>, string]>([
    [{ amount: '10,50' }, 'The amount "10,50" must be a decimal greater than zero, such as 10.50'],
    [{ amount: '0.00' }, 'The amount "0.00" must be a decimal greater than zero, such as 10.50'],
    [{ to: { iban: 'DE88370400440532013000' } }, 'The IBAN "DE88370400440532013000" must be an IBAN with the right check digits'],
    [{ to: { address: '0x12', chain: 'gnosis' } }, 'The address "0x12" must be 0x and 40 hexadecimal digits'],
    [{ at: new Date(Number.NaN) }, 'The time "Invalid Date" must be a time not more than five minutes ago'],
  ])('says what is wrong with %o', (wrong, message) => {
    expect(() => paymentMessage({ ...payment, ...wrong })).toThrow(new TypeError(message));
  });
});
