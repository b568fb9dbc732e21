import { beforeAll, describe, expect, it } from 'vitest';
import { disableOperator } from '../../src/ledger/operators/operator-access.ts';
import { addOperator, findDisabledOperator } from '../../src/ledger/operators/operators.ts';
import { hasTerminal, mintrailOnTerminal } from '../support/processes/mintrail.ts';
import { testLedger } from '../support/test-ledger.ts';

const sentence = 'Disable vera and end their sessions';
const question = 'Do this?';

describe.runIf(hasTerminal)('on a terminal', () => {
  const database = testLedger();
  const { ledger } = database;
  beforeAll(() => addOperator(ledger, { name: 'vera', role: 'viewer' }));

  const disable = (keys: string) =>
    mintrailOnTerminal(['operator', 'disable', 'vera'], { DATABASE_URL: database.url, FOUR_EYES: 'no' }, { shown: question, keys });
  const isDisabled = async () => (await findDisabledOperator(ledger, 'vera')) !== undefined;

  it('a command shows what it would do and asks, and does nothing for any answer but yes', async () => {
    // No, Enter, which takes the answer that is marked, Control-C and Escape.
    for (const keys of ['n', '\r', '\u0003', '\u001b']) {
      const { code, stdout } = await disable(keys);
      expect(stdout.indexOf(sentence), stdout).toBeGreaterThanOrEqual(0);
      expect(stdout.indexOf(question)).toBeGreaterThan(stdout.indexOf(sentence));
      expect(stdout).toContain('(not_confirmed)');
      expect(code).toBe(3);
      expect(await isDisabled()).toBe(false);
    }
  });

  it('whoever is disabled while it asks does nothing any more', async () => {
    await addOperator(ledger, { name: 'tina', role: 'administrator' });
    const { code, stdout } = await mintrailOnTerminal(
      ['--as', 'tina', 'operator', 'disable', 'vera'],
      { DATABASE_URL: database.url, FOUR_EYES: 'no' },
      { shown: question, keys: 'y', before: () => disableOperator(ledger, 'tina') },
    );
    expect({ code, stdout }).toMatchObject({ code: 1, stdout: expect.stringContaining('The operator tina is disabled') as string });
    expect(await isDisabled()).toBe(false);
  });

  it('it does what it has shown when the answer is yes', async () => {
    const { code, stdout } = await disable('y');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(sentence) as string });
    expect(await isDisabled()).toBe(true);
  });
});
