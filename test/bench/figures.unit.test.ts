import { describe, expect, it } from 'vitest';
import { createResults, isMet, requirementOf, shown } from '../../bench/figures.ts';
import { percentile, tenths } from '../../bench/percentiles.ts';
import { historyPage } from '../../bench/history-page.ts';
import { linesOf, parseHistory } from '../../bench/run-history.ts';

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
  const head = 'date,commit,machine,load,figure,value,note\n';
  const run = (date: string, figure: string, value: number) => ({ date, ...around, figure, value, note: '' });

  it('has a line for each figure that a run has measured, with its note', () => {
    const results = createResults();
    results.record('file', 836.4, '100,000 credits');
    results.record('cpuApi', 1);
    const lines = linesOf(results, around, new Date('2026-11-22T14:00:00Z'));
    expect(lines).toBe(
      '2026-11-22T14:00,abc1234+,"2 × CPU, 24 GB",0.3,file,836,"100,000 credits"\n' +
        '2026-11-22T14:00,abc1234+,"2 × CPU, 24 GB",0.3,cpuApi,1.00,\n',
    );
    expect(parseHistory(head + lines)).toEqual([
      { date: '2026-11-22T14:00', ...around, load: 0.3, figure: 'file', value: 836, note: '100,000 credits' },
      { date: '2026-11-22T14:00', ...around, load: 0.3, figure: 'cpuApi', value: 1, note: '' },
    ]);
  });

  it('draws what is wanted of a figure beside what three runs have measured', () => {
    const days = ['2026-11-22T14:00', '2026-11-23T14:00', '2026-11-24T14:00'];
    const page = historyPage([
      ...days.map((day, index) => run(day, 'idleCpu', 9 + index)),
      ...days.map((day) => run(day, 'cpuAnvil', 1)),
      run('2026-11-24T14:00', 'credits', 900),
    ]);
    expect(page.match(/^ {2}title .*$/gm)).toEqual([
      '  title "idleCpu: idle sandbox with three networks, of a core; at most 10.0 %, aim 5"',
    ]);
    expect(page).toContain('x-axis "run" ["11-22 14:00", "11-23 14:00", "11-24 14:00"]\n');
    expect(page).toContain('  line [9, 10, 11]\n  line [10, 10, 10]\n');
  });
});
