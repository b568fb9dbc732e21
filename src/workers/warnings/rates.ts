import { readFile } from 'node:fs/promises';
import { settingVariable } from '../../platform/settings.ts';
import type { Warning, WarningDeps } from './warning.ts';

/** Rates that have reached this share of the age at which they are no longer used are late. */
const lateShare = 0.75;

/** Warns of rates in `SWAP_RATES_FILE` that are not used any more soon. Throws what reading the file throws. */
export async function rateWarnings({ settings }: WarningDeps): Promise<Warning[]> {
  const { swapRatesFile: file, swapRatesMaxAgeSeconds: maxAge } = settings;
  if (file === undefined || maxAge === 0) return [];
  const { time } = JSON.parse(await readFile(file, 'utf8')) as { time: string };
  const age = (Date.now() - Date.parse(time)) / 1000;
  if (!(age > maxAge * lateShare)) return [];
  const text = `the rates in ${file} are of ${new Date(time).toISOString()}, and from an age of ${maxAge} s on (${settingVariable('swapRatesMaxAgeSeconds')}) no swap has a price: see what should write them`;
  return [{ kind: 'rates_old', subject: file, text }];
}
