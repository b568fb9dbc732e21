import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { createAlarms, createPartAlarms } from '../../src/workers/alarms.ts';

describe('alarms', () => {
  const begin = Date.UTC(2026, 0, 1);

  function start() {
    const lines: string[] = [];
    let now = begin;
    const log = createLog('silent');
    const recording = Object.assign(Object.create(log), {
      error: (_facts: object, text: string) => lines.push(`error ${text}`),
      info: (_facts: object, text: string) => lines.push(`info ${text}`),
    }) as typeof log;
    return { lines, alarms: createAlarms(recording, () => now), setNow: (time: number) => (now = time) };
  }

  it('keep the time of the first, show the last text, and write one line each when they begin and end', () => {
    const { alarms, lines, setNow } = start();
    alarms.raise('gas_money', '0x1 gas', 'holds 2 wei');
    setNow(begin + 30_000);
    alarms.raise('gas_money', '0x1 gas', 'holds 1 wei');
    expect(alarms.list()).toEqual([{ kind: 'gas_money', subject: '0x1 gas', text: 'holds 1 wei', since: '2026-01-01T00:00:00.000Z' }]);
    alarms.clear('gas_money', '0x1 gas');
    alarms.clear('gas_money', '0x1 gas');
    expect(alarms.list()).toEqual([]);
    expect(lines).toEqual(['error holds 2 wei', 'info the alarm has ended']);
  });

  it('have one line, however many their cause has', () => {
    const { alarms } = start();
    alarms.raise('chain_unreachable', 'gnosis', `HTTP request failed.\n\nURL: …\n${'x'.repeat(1_000)}`);
    const [{ text } = { text: '' }] = alarms.list();
    expect(text).toMatch(/^HTTP request failed. URL: … x+$/);
    expect(text).toHaveLength(600);
  });

  it('of one part end together, and leave those of another part', () => {
    const { alarms } = start();
    const [lane, spare] = [createPartAlarms(alarms), createPartAlarms(alarms)];
    lane.raise('gas_money', '0x1 gas', 'holds 1 wei');
    lane.raise('nonce_gap', '0x1', 'nonce 7 is missing');
    spare.raise('gas_money', '0x2 gas', 'holds 2 wei');
    spare.clear('gas_money', '0x1 gas');
    expect(lane.list().map(({ kind }) => kind)).toEqual(['gas_money', 'nonce_gap']);
    lane.clearAll();
    expect(lane.list()).toEqual([]);
    expect(alarms.list().map(({ subject }) => subject)).toEqual(['0x2 gas']);
  });
});
