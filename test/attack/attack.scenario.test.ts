import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testLedger } from '../support/test-ledger.ts';
import { judge, renderFigures } from './judge.ts';
import type { Row } from './row.ts';
import { rows } from './rows.ts';
import { startProduction, startSandbox, type Target } from './targets.ts';
import { longestTestMs } from '../support/patience.ts';

/** `npm run attack` sets it to the rows that are run at length, also in a sandbox; without it those that have a short form are run, in production mode. */
const selected = process.env['ATTACKS'];
const timesOf = ({ times }: Row) => (selected === undefined ? times.short : times.long);
const chosen = rows.filter((row) => timesOf(row) !== undefined && new RegExp(selected ?? '', 'i').test(row.name));

/** A row at length takes as long as it takes. */
const timeoutMs = selected === undefined ? longestTestMs : 3_600_000;

const database = testLedger();

const targets = [
  { name: 'a service in production mode', start: () => startProduction(database), has: ['partner', 'granted'] as readonly string[] },
  ...(selected === undefined
    ? []
    : [{ name: 'a sandbox', start: startSandbox, has: ['consoleUrl', 'readersUrl', 'network'] as readonly string[] }]),
];

const rowsFor = (has: readonly string[]) => chosen.filter(({ needs }) => needs === undefined || has.includes(needs));

describe.each(targets.filter(({ has }) => rowsFor(has).length > 0))('$name', ({ start, has }) => {
  let target: Target;
  beforeAll(async () => {
    target = await start();
  });
  afterAll(() => target?.stop());

  it.each(rowsFor(has))(
    '$name: nothing fails, the honest are answered, and at length it costs no more than it may',
    async (row) => {
      const figures = await judge(target, row, timesOf(row) ?? 0);
      if (selected !== undefined) console.log(renderFigures(figures));
      const failures = Object.keys(figures.answers).filter((status) => Number(status) >= 500 && !row.mayAnswer?.includes(Number(status)));
      const { harm } = figures;
      const excesses = selected === undefined ? [] : figures.excesses;
      expect({ failures, honest: Object.keys(figures.honest), harm, excesses }).toEqual({
        failures: [],
        honest: ['200'],
        harm: [],
        excesses: [],
      });
    },
    timeoutMs,
  );
});
