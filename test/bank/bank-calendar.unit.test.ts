import { describe, expect, it } from 'vitest';
import { bankTime, businessDay } from '../../src/bank/bank-calendar.ts';

const berlin = { timeZone: 'Europe/Berlin', holidays: [] };

describe('the day of a payment', () => {
  it.each([
    ['is that on the clock of the bank', '2026-11-25T23:30:00Z', 'eur', '2026-11-26'],
    ['is no Saturday', '2026-11-28T09:00:00Z', 'gbp', '2026-11-30'],
    ['in euro is none on which TARGET is closed', '2026-12-25T09:00:00Z', 'eur', '2026-12-28'],
    ['in euro is not Good Friday, nor Easter Monday', '2026-04-03T09:00:00Z', 'eur', '2026-04-07'],
    ['in euro is not Easter Monday of a late year', '2038-04-24T09:00:00Z', 'eur', '2038-04-27'],
    ['in another currency may be a holiday of TARGET', '2026-05-01T09:00:00Z', 'usd', '2026-05-01'],
  ])('%s', (_, at, currency, day) => expect(businessDay(new Date(at), currency, berlin)).toBe(day));

  it('is none that the operator has set, for its currency', () => {
    const calendar = { ...berlin, holidays: [{ day: '2026-08-31', currency: 'gbp' }, { day: '2026-09-01' }] };
    const at = new Date('2026-08-31T09:00:00Z');
    expect([businessDay(at, 'gbp', calendar), businessDay(at, 'eur', calendar)]).toEqual(['2026-09-02', '2026-08-31']);
  });
});

it('the time of a message is on the clock of the bank, to the second', () => {
  expect(bankTime(new Date('2026-11-26T08:30:00.123Z'), berlin)).toBe('2026-11-26T09:30:00');
});
