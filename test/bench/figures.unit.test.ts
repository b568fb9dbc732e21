import { describe, expect, it } from 'vitest';
import { createResults, isMet, requirementOf, shown } from '../../bench/figures.ts';
import { percentile, tenths } from '../../bench/percentiles.ts';
import { withRun } from '../../bench/run-history.ts';

describe('the arithmetic of the benchmark', () => {
  it('takes percentiles by nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([0.5, 0.95, 0.99, 1].map((share) => percentile(hundred, share))).toEqual([50, 95, 99, 100]);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('compares the first tenth with the last one, whether or not they end with a block', () => {
    const even = [0, 3, 6, 9].map((seconds) => ({ seconds, count: 500 + 100 * seconds }));
    expect(tenths(even)).toEqual({ first: expect.closeTo(100), last: expect.closeTo(100) });
    const slowing = [0, 1, 2, 4].map((seconds, index) => ({ seconds, count: 100 * index }));
    expect(tenths(slowing)).toEqual({ first: expect.closeTo(100), last: expect.closeTo(50) });
    const together = [...even.slice(0, 3), { seconds: 9, count: 1_395 }, { seconds: 9, count: 1_400 }];
    expect(tenths(together)).toEqual({ first: expect.closeTo(100), last: expect.closeTo(100) });
    expect(tenths(even.slice(0, 1))).toEqual({ first: Number.NaN, last: Number.NaN });
  });

  it('judges what has a requirement, and never a value that could not be measured as met', () => {
    expect([isMet('redemptions', 600), isMet('redemptions', 599), isMet('cpuApi', 0.8), isMet('cpuApi', 0.81)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([isMet('cpuAnvil', 9), isMet('file', Number.NaN)]).toEqual([undefined, false]);
    expect([requirementOf('redemptions'), requirementOf('cpuAnvil'), shown('cpuApi', 1)]).toEqual([
      'at least 600 /s, aim 1,000',
      '',
      '1.00 ms',
    ]);
  });
});

describe('the history of the benchmark', () => {
  const around = { commit: 'abc1234+', machine: '2 × CPU, 24 GB', load: 0.25 };

  it('gets a row for each run below one head, with a dash for what was not measured', () => {
    const results = createResults();
    results.record('file', 836.4, '100,000 credits');
    const first = withRun('# History', results, around, new Date('2026-11-22T14:00:00Z'));
    const second = withRun(first, createResults(), around, new Date('2026-11-22T15:00:00Z'));
    const rows = second.split('\n').filter((line) => line.startsWith('|'));
    expect(rows).toHaveLength(4);
    expect(rows[2]).toContain('| 2026-11-22T14:00 | abc1234+ | 2 × CPU, 24 GB | 0.3 | – |');
    expect(rows[2]).toContain('| 836 /s (100,000 credits) |');
    expect(new Set(rows.map((row) => row.split(' | ').length)).size).toBe(1);
  });

  it('begins another table when there are other figures', () => {
    const before = '# History\n\n| date | commit |\n| --- | --- |\n| then | abc1234 |\n';
    const after = withRun(before, createResults(), around, new Date('2026-11-22T14:00:00Z'));
    expect(after.startsWith(before)).toBe(true);
    expect(after.split('\n').filter((line) => line.startsWith('| date '))).toHaveLength(2);
  });
});
