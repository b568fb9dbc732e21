import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf, RetryError } from '../platform/errors.ts';
import { currencies, parseTokenUnits } from '../platform/money.ts';
import type { Rates, ReadRates } from './rates.ts';

/** Clocks of two machines may differ by this much, in milliseconds; what claims to be younger is a mistake. */
const clockSkewMs = 60_000;

const rate = z.string().transform((text, context) => {
  const units = parseTokenUnits(text);
  if (units !== undefined && units > 0n) return units;
  context.addIssue({ code: 'custom', message: 'must be a decimal greater than 0 in quotes, such as "1.16"' });
  return z.NEVER;
});

const schema = z.strictObject({
  time: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
  usd: z.strictObject(Object.fromEntries(currencies.map((currency) => [currency, rate.optional()]))),
});

/**
 * Reads `{"time": "2026-11-21T12:00:00Z", "usd": {"eur": "1.16", ...}}`: the mid rates at that time, in US dollars. A file that changed is
 * read again at the next price; write it beside and rename it into place. Rates older than `maxAgeSeconds` are none; 0 lets them live for ever.
 */
export function createRatesFile({ file, maxAgeSeconds }: { file: string; maxAgeSeconds: number }): ReadRates {
  let known: { version: string; rates: Rates } | undefined;
  return async () => {
    try {
      const { mtimeMs, size, ino } = await stat(file);
      const version = `${mtimeMs} ${size} ${ino}`;
      if (known?.version !== version) known = { version, rates: parseRates(await readFile(file, 'utf8')) };
      requireFresh(known.rates, maxAgeSeconds);
      return known.rates;
    } catch (error) {
      throw new RetryError({
        code: 'price_unavailable',
        message: `No price is available now: the rates in SWAP_RATES_FILE cannot be used (${messageOf(error)})`,
        cause: error,
      });
    }
  };
}

function parseRates(text: string): Rates {
  const parsed = schema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  const { time, usd } = parsed.data;
  return { time, usd: { ...(usd as Rates['usd']), usd: requireDollar(usd['usd']) } };
}

/** A dollar is a dollar; a file that says otherwise has another base. */
function requireDollar(given: bigint | undefined): bigint {
  const one = 10n ** 18n;
  if (given !== undefined && given !== one) throw new Error('usd.usd: must be "1", because the rates are in US dollars');
  return one;
}

function requireFresh({ time }: Rates, maxAgeSeconds: number): void {
  const age = Date.now() - time.getTime();
  if (age < -clockSkewMs) throw new Error(`their time ${time.toISOString()} is still to come`);
  if (maxAgeSeconds > 0 && age > maxAgeSeconds * 1_000)
    throw new Error(`they are of ${time.toISOString()}, older than the ${maxAgeSeconds} s that SWAP_RATES_SECONDS allows`);
}
