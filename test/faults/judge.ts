import { until } from '../support/until.ts';
import type { FaultRow } from './fault-row.ts';
import type { FaultWorld } from './world.ts';

/** What a row showed: seconds since the fault began, or since it was over. */
export interface Figures {
  row: string;
  /** For how long it lasted. */
  seconds: number;
  /** By what it was named, and when; undefined when it was over before. */
  named: { by: string; after: number } | undefined;
  /** How long the payment took that was reported before it. */
  before: number;
  /** How long the one took that was reported when it had begun; undefined when that was processed only after it was over. */
  meanwhile: number | undefined;
  /** When all money that came meanwhile was processed, after the fault was over. */
  processedAfter: number;
  /** When all was well again. */
  wellAfter: number;
}

/**
 * Runs a row: a payment before, one while it lasts with what else the row begins then, and one after it. The fault lasts so many seconds, or until it is named. Throws when a payment is not processed,
 * the chain has not one issue for each, or all is not well at the end.
 */
export async function judge(world: FaultWorld, row: FaultRow, seconds: number | 'until named'): Promise<Figures> {
  const reference = `${row.name} ${seconds} ${Date.now()}`;
  const beganAt = performance.now();
  await world.pay(`${reference} before`);
  await until('it is processed before', async () => (await world.isProcessed()) || undefined);
  const before = since(beganAt);
  await until('all is well before', async () => (await world.problem()) === undefined || undefined);
  const startedAt = performance.now();
  await row.begin(world);
  const paying = world.pay(`${reference} meanwhile`);
  const working = Promise.all([paying, row.work?.(world, paying)]);
  // Whoever waits for it may come later.
  working.catch(() => {});
  let isEnded = false;
  let meanwhile: number | undefined;
  const noteMeanwhile = async (): Promise<void> => {
    await paying;
    await until('it is processed meanwhile', async () => isEnded || (await world.isProcessed()) || undefined);
    if (!isEnded) meanwhile = since(startedAt);
  };
  noteMeanwhile().catch(() => {});
  let named: Figures['named'];
  const isOver = () => (seconds === 'until named' ? named !== undefined : since(startedAt) >= seconds);
  try {
    await until('the fault is named', async () => {
      const by = named === undefined ? await row.named(world) : undefined;
      if (by !== undefined) named = { by, after: since(startedAt) };
      return isOver() || undefined;
    });
  } finally {
    isEnded = true;
    await row.end(world);
  }
  const lasted = since(startedAt);
  const endedAt = performance.now();
  await working;
  await world.pay(`${reference} after`);
  await until('all is processed', async () => (await world.isProcessed()) || undefined);
  const processedAfter = since(endedAt);
  await until(
    'all is well',
    async () => ((await world.problem()) ?? (await world.unready()) ?? (await row.named(world))) === undefined || undefined,
  );
  const figures = { row: row.name, seconds: lasted, named, before, meanwhile, processedAfter, wellAfter: since(endedAt) };
  const miscounted = await world.miscounted();
  if (miscounted.length > 0) throw new Error(`not issued once: ${miscounted.join(', ')}`);
  return figures;
}

/** Seconds since a time of `performance.now()`. */
function since(at: number): number {
  return Math.round((performance.now() - at) / 100) / 10;
}
