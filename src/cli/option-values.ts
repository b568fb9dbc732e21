import { InvalidArgumentError, Option } from 'commander';
import { type Chain, chains } from '../platform/chains.ts';
import { type MinorUnits, parseAmount } from '../platform/money.ts';
import { isUuid } from '../platform/uuid.ts';

const spanUnitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An option that may be repeated. Its value is a list, which is empty without the option. */
export function repeatable(flags: string, description: string, parse: (text: string) => string): Option {
  const collect = (text: string, all: string[]): string[] => [...all, parse(text)];
  return new Option(flags, `${description}; repeatable`).argParser(collect).default([], 'none');
}

/** An option that names networks and may be repeated. Its value is a list of each once; undefined without the option. */
export function chainsOption(flags: string, description = 'network; repeatable'): Option {
  return new Option(flags, description).choices(chains).argParser((text: string, all: readonly Chain[] | undefined) => {
    const chain = chains.find((name) => name === text);
    if (chain === undefined) throw new InvalidArgumentError(`Allowed choices are ${chains.join(', ')}.`);
    return [...new Set([...(all ?? []), chain])];
  });
}

/** Makes the reader of an option that is a whole number. It throws InvalidArgumentError, as all readers here do. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && Number.isInteger(number) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Reads an id. Returns it in small letters. */
export function parseId(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw new InvalidArgumentError(`${text} is not an id (a UUID).`);
}

/** Reads a `--since`: a date, a time in RFC 3339, or a span back from now such as `90m`, `24h` or `7d`. */
export function parseSince(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (unit !== undefined) return new Date(Date.now() - Number(count) * (spanUnitMs[unit] ?? 0));
  const time = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError(
    'It must be a date such as 2026-11-21, a time such as 2026-11-21T09:30:00Z, or a span such as 90m, 24h or 7d.',
  );
}

/** Reads an amount of a currency. */
export function parseMoney(text: string): MinorUnits {
  const parsed = parseAmount(text);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError('It must be an amount such as 1000000 or 1000000.00.');
}

/** Reads a day, `YYYY-MM-DD`. */
export function parseDay(text: string): string {
  const time = new Date(`${text}T00:00:00Z`);
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)) return text;
  throw new InvalidArgumentError('It must be a day such as 2026-01-31.');
}
