import { until } from '../support/until.ts';
import type { FaultRow } from './rows.ts';
import { type FaultWorld, patience } from './world.ts';

/** What a row showed: seconds since the fault began, or since it was over. */
export interface Figures {
  row: string;
  /** For how long it lasted. */
  seconds: number;
  /** By what it was named, and when; undefined when it was over before. */
  named: { by: string; after: number } | undefined;
  /** When all money that came meanwhile was processed, after the fault was over. */
  processedAfter: number;
  /** When all was well again. */
  wellAfter: number;
}

/**
 * Runs a row: a payment before, one while it lasts, and one after it. The fault lasts so many seconds, or until it is named. Throws when a payment is not processed,
 * the chain has not one issue for each, or all is not well at the end.
 */
export async function judge(world: FaultWorld, row: FaultRow, seconds: number | 'until named'): Promise<Figures> {
  const reference = `${row.name} ${seconds} ${Date.now()}`;
  await world.pay(`${reference} before`);
  await until('it is processed before', async () => (await world.isProcessed()) || undefined, patience);
  await until('all is well before', async () => (await world.problem()) === undefined || undefined, patience);
  const startedAt = performance.now();
  const since = (at: number) => Math.round((performance.now() - at) / 100) / 10;
  await row.begin(world);
  const paying = world.pay(`${reference} meanwhile`);
  let named: Figures['named'];
  const isOver = () => (seconds === 'until named' ? named !== undefined : since(startedAt) >= seconds);
  await until(
    'the fault is named',
    async () => {
      const by = named === undefined ? await row.named(world) : undefined;
      if (by !== undefined) named = { by, after: since(startedAt) };
      return isOver() || undefined;
    },
    patience,
  ).finally(() => row.end(world));
  const lasted = since(startedAt);
  const endedAt = performance.now();
  await paying;
  await world.pay(`${reference} after`);
  await until('all is processed', async () => (await world.isProcessed()) || undefined, patience);
  const processedAfter = since(endedAt);
  await until('all is well', async () => ((await world.problem()) ?? (await world.unready())) === undefined || undefined, patience);
  const figures = { row: row.name, seconds: lasted, named, processedAfter, wellAfter: since(endedAt) };
  const miscounted = await world.miscounted();
  if (miscounted.length > 0) throw new Error(`not issued once: ${miscounted.join(', ')}`);
  return figures;
}
