import { expect } from 'vitest';
import { mintrail } from '../support/processes/mintrail.ts';
import { until } from '../support/until.ts';

/** Expects `mintrail reconcile` to find no difference, once the indexers have caught up (before, it ends with 75). */
export async function expectReconciled(dataDir: string): Promise<void> {
  const { code, stdout } = await until(
    'the reserve can be read',
    async () => {
      const result = await mintrail(['reconcile', '--json'], { MINTRAIL_DATA_DIR: dataDir });
      return result.code === 75 ? undefined : result;
    },
    60,
  );
  const { reserves, breaches } = JSON.parse(stdout) as { reserves: { difference: unknown }[]; breaches: unknown[] };
  expect(breaches).toEqual([]);
  expect(reserves.map(({ difference }) => Number(difference))).toEqual(reserves.map(() => 0));
  expect(code).toBe(0);
}
