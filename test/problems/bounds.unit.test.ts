import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/platform/settings.ts';
import { bankDaysBefore, boundsOf } from '../../src/problems/bounds.ts';

const legSeconds = (env: Record<string, string>, chain: string) =>
  boundsOf(loadSettings({ DATABASE_URL: 'postgres://', ...env }), new Date()).legs.find((bound) => bound.chain === chain)?.seconds;

describe('the bound of a leg', () => {
  it('follows from the block time and the confirmations', () => {
    expect(legSeconds({ GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)}`, GNOSIS_CONFIRMATIONS: '20' }, 'gnosis')).toBe(60 * 5 + 20 * 5);
    expect(legSeconds({ GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)}` }, 'gnosis')).toBe(60 * 5 + 600);
  });

  it('leaves two minutes where blocks are fast', () => {
    expect(legSeconds({}, 'arbitrumsepolia')).toBe(120 + 2);
  });
});

describe('bank days', () => {
  it('skip Saturdays and Sundays', () => {
    const wednesday = new Date('2026-05-06T10:00:00Z');
    expect(bankDaysBefore(wednesday, 1).toISOString()).toBe('2026-05-05T10:00:00.000Z');
    expect(bankDaysBefore(wednesday, 3).toISOString()).toBe('2026-05-01T10:00:00.000Z');
    for (const weekend of ['2026-05-02T14:00:00Z', '2026-05-03T10:00:00Z'])
      expect(bankDaysBefore(new Date(weekend), 1).toISOString()).toBe('2026-05-01T00:00:00.000Z');
  });
});
