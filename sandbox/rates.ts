import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** File in the data folder with the rates of swaps. A user may change it while the sandbox runs. */
export const ratesFile = 'rates.json';

/** Invented, close to those of a day in 2026. */
const usd = { eur: '1.16', gbp: '1.32', isk: '0.0079', usd: '1' };

/** The path of the rates file, which is written at the first start. */
export function provideRates(dataDir: string): string {
  const file = path.join(dataDir, ratesFile);
  if (!existsSync(file)) writeFileSync(file, `${JSON.stringify({ time: new Date().toISOString(), usd }, null, 2)}\n`);
  return file;
}
