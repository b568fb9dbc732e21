import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { messageOf, RetryError } from '../platform/errors.ts';
import { currencies, type Currency, parseTokenUnits } from '../platform/money.ts';

/** How far the clocks of two machines may differ. Rates from further in the future are an error. */
const maxClockSkewMs = 60_000;

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
 * Reads rates from a file such as `{"time": "2026-11-21T12:00:00Z", "usd": {"eur": "1.16", ...}}`: the mid rates at that time, in US
 * dollars. A changed file is read again for the next price, so it must be replaced by a rename. Rates older than `maxAgeSeconds` are
 * unavailable; 0 accepts rates of any age.
 */
export function createRatesFile({ file, maxAgeSeconds }: { file: string; maxAgeSeconds: number }): ReadRates {
  let cached: { version: string; rates: Rates } | undefined;
  return async () => {
    try {
      const { mtimeMs, size, ino } = await stat(file);
      const version = `${mtimeMs} ${size} ${ino}`;
      if (cached?.version !== version) cached = { version, rates: parseRates(await readFile(file, 'utf8')) };
      requireFresh(cached.rates, maxAgeSeconds);
      return cached.rates;
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

/** The dollar's rate is 1: a file with another one has rates in another currency. */
function requireDollar(rate: bigint | undefined): bigint {
  const dollar = 10n ** 18n;
  if (rate !== undefined && rate !== dollar) throw new Error('usd.usd: must be "1", because the rates are in US dollars');
  return dollar;
}

function requireFresh({ time }: Rates, maxAgeSeconds: number): void {
  const age = Date.now() - time.getTime();
  if (age < -maxClockSkewMs) throw new Error(`their time ${time.toISOString()} is in the future`);
  if (maxAgeSeconds > 0 && age > maxAgeSeconds * 1_000)
    throw new Error(`they are of ${time.toISOString()}, older than the ${maxAgeSeconds} s that SWAP_RATES_SECONDS allows`);
}

/** Mid rates at one time. A currency without a rate has no price. */
interface Rates {
  time: Date;
  /** US dollars for one unit of a currency, in units of 10^-18. */
  usd: Partial<Record<Currency, bigint>>;
}

/** The source of prices. Throws `price_unavailable` (retryable) when there are no valid rates: it never returns outdated ones. */
export type ReadRates = () => Promise<Rates>;
