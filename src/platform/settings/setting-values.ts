import { z } from 'zod';
import { type LowerAddress, lowerAddress } from '../addresses.ts';
import { type Currency, currencySchema, type MinorUnits, minorUnits, parseAmount } from '../money.ts';
import { type AddressPart, addressParts, type PostalAddress, postalAddressSchema } from './postal-address.ts';

/** The address of a PostgreSQL database. The message does not repeat it: it has a password. */
export const databaseAddress = z
  .string()
  .startsWith('postgres')
  // The driver takes an address whose host is left out, too.
  .refine((text) => URL.canParse(text.replace('@/', '@localhost/')), {
    error: 'is not postgresql://USER:PASSWORD@HOST:PORT/NAME: in the password write # as %23, and / ? @ : likewise as %2F %3F %40 %3A',
  });
/** Whether a text is the base64 of the 32 bytes of a key that seals. */
export function isSecretsKey(text: string): boolean {
  const key = Buffer.from(text, 'base64');
  // Node ignores what it cannot decode: the text was decoded completely only if the key encodes to it again.
  return key.length === 32 && key.toString('base64') === text;
}

/** A key that seals, or `file:PATH` of a file that holds it. The value stays out of the message. */
export const secretsKey = z
  .string()
  .refine((text) => /^file:./.test(text) || isSecretsKey(text), 'is neither the base64 of 32 bytes nor file:PATH of a file that holds it');
/** A port; 0 takes any that is free. */
export const port = z.coerce.number().int().min(0).max(65535);
/** How many of something one owner may have. */
export const quota = z.coerce.number().int().min(0).max(1_000_000_000);
/** 0, or at least so many days. */
export const daysKept = (fewest: number) =>
  z.coerce
    .number()
    .int()
    .min(0)
    .max(36_525)
    .refine((days) => days === 0 || days >= fewest, `must be 0 or at least ${fewest}`);
/** Several values in one setting, `name:value,…`: those that are not named have their default. */
export function parts<Shape extends z.ZodRawShape>(shape: Shape) {
  const schema = z.strictObject(shape);
  return z
    .string()
    .default('')
    .transform((text, context): z.infer<typeof schema> => {
      const entries = text.split(',').filter(Boolean);
      const named = entries.map((entry) => /^\s*(\w+):([^:\s]+)\s*$/.exec(entry)?.slice(1) ?? []);
      const { data, error } = schema.safeParse(Object.fromEntries(named.filter(({ length }) => length > 0)));
      const names = named.map(([name]) => name);
      const wrong = entries.filter((_, index) => names[index] === undefined || names.indexOf(names[index]) !== index);
      for (const entry of wrong) context.addIssue({ code: 'custom', message: `"${entry}" is not of the form NAME:NUMBER, each name once` });
      for (const { path, message } of error?.issues ?? []) context.addIssue({ code: 'custom', message: [...path, message].join(' ') });
      return data !== undefined && wrong.length === 0 ? data : z.NEVER;
    });
}

/** Requests per minute; unset takes the default of the environment. */
export const perMinute = z.coerce.number().int().min(0).max(1_000_000_000).optional();

/** A bank account that holds the money behind the tokens. */
export interface MasterAccount {
  /** An IBAN without spaces, or how the statements of an account without one identify it. */
  account: string;
  /** The currency whose payments it makes; undefined for every currency. */
  currency?: Currency;
}

/** Days that something is kept; 0 means for ever. */
export function daysOrEver(days: number): number {
  return days === 0 ? Infinity : days;
}

/** Whether a text is the URL of a mail server, with no path behind it. */
export function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && `${url.pathname}${url.search}${url.hash}`.length <= 1;
}

/** Reads `eur:0x…,gbp:0x…`. */
export function parseTokens(text: string, context: z.RefinementCtx): Partial<Record<Currency, LowerAddress>> {
  const tokens: Partial<Record<Currency, LowerAddress>> = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [name, address] = part.trim().split(':');
    const currency = currencySchema.safeParse(name);
    if (!currency.success || !/^0x[0-9a-fA-F]{40}$/.test(address ?? '')) {
      context.addIssue({ code: 'custom', message: `"${part}" is not of the form eur:0x… (eur, usd, gbp or isk, and an address)` });
    } else tokens[currency.data] = lowerAddress(address ?? '');
  }
  return tokens;
}

/** Reads IBANs or account numbers, each with the currency that it is for or without one: `eur:IBAN,gbp:IBAN`. */
export function parseBankAccounts(text: string, context: z.RefinementCtx): MasterAccount[] {
  return text
    .split(',')
    .filter(Boolean)
    .flatMap((part): MasterAccount[] => {
      const [account = '', name] = part.trim().split(':').toReversed();
      const currency = name === undefined ? undefined : currencySchema.safeParse(name);
      if (/^[A-Z0-9]{1,34}$/.test(account) && currency?.success !== false)
        return [{ account, ...(currency && { currency: currency.data }) }];
      context.addIssue({
        code: 'custom',
        message: `"${part}" is not an IBAN without spaces, nor of the form eur:IBAN (eur, usd, gbp or isk)`,
      });
      return [];
    });
}

/** Whether the audit log can keep a text as an operator's name: letters, digits, `.`, `_`, `@` and `-`, at most 64. */
export function isOperatorName(text: string): boolean {
  return /^[\w.@-]{1,64}$/.test(text);
}

/** Reads `user:name,…`: names of operators by their users on this system. */
export function parseOperators(text: string, context: z.RefinementCtx): Record<string, string> {
  const operators: Record<string, string> = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [user = '', name = ''] = part.trim().split(':');
    if (user !== '' && isOperatorName(name) && name !== 'root') operators[user] = name;
    else
      context.addIssue({
        code: 'custom',
        message: `"${part}" is not of the form USER:NAME, a user of the system and the name of a person`,
      });
  }
  return operators;
}

/** Reads `eur:1.00,gbp:2.00`, into minor units. */
export function parseAmounts(text: string, context: z.RefinementCtx): Partial<Record<Currency, MinorUnits>> {
  const amounts: Partial<Record<Currency, MinorUnits>> = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [name, value = ''] = part.trim().split(':');
    const currency = currencySchema.safeParse(name);
    const amount = parseAmount(value);
    if (currency.success && amount !== undefined) amounts[currency.data] = amount;
    else context.addIssue({ code: 'custom', message: `"${part}" is not of the form eur:1.00 (eur, usd, gbp or isk, and an amount)` });
  }
  return amounts;
}

/** Reads `gbp:city+country,usd:street+city`. */
export function parseAddressParts(text: string, context: z.RefinementCtx): Partial<Record<Currency, AddressPart[]>> {
  const parts: Partial<Record<Currency, AddressPart[]>> = {};
  for (const item of text.split(',').filter(Boolean)) {
    const [name, value = ''] = item.trim().split(':');
    const currency = currencySchema.safeParse(name);
    const named = z.array(z.enum(addressParts)).safeParse(value.split('+'));
    if (currency.success && named.success) parts[currency.data] = named.data;
    else context.addIssue({ code: 'custom', message: `"${item}" is not of the form usd:city+country (of ${addressParts.join(', ')})` });
  }
  return parts;
}

/** Reads a postal address in JSON. */
export function parseAddress(text: string, context: z.RefinementCtx): PostalAddress {
  try {
    const { data, error } = postalAddressSchema.safeParse(JSON.parse(text));
    if (data !== undefined) return data;
    for (const { path, message } of error.issues) context.addIssue({ code: 'custom', message: [...path, message].join(' ') });
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON, such as {"city":"Berlin","country":"DE"}' });
  }
  return z.NEVER;
}

/** The amount in euro from which an order needs a supporting document (docs/api.md, Limits). */
const documentAmountEur = minorUnits(15_000_00n);

/** Reads the amounts from which orders need a supporting document: of every currency but the euro, whose amount is fixed. */
export function parseDocumentAmounts(text: string, context: z.RefinementCtx): Record<Currency, MinorUnits> {
  const { eur, usd, gbp, isk } = parseAmounts(text, context);
  if (eur === undefined && usd !== undefined && gbp !== undefined && isk !== undefined) return { eur: documentAmountEur, usd, gbp, isk };
  context.addIssue({ code: 'custom', message: `"${text}" does not name usd, gbp and isk, and not eur, whose amount is fixed` });
  return z.NEVER;
}

/** Reads endpoints, comma separated. Error messages leave the URLs out. */
export function parseUrls(text: string, context: z.RefinementCtx): string[] {
  const urls = text
    .split(',')
    .filter(Boolean)
    .map((url) => url.trim());
  // The value stays out of the message: RPC addresses carry keys.
  if (urls.some((url) => !/^(https?|wss?):\/\/./.test(url)))
    context.addIssue({ code: 'custom', message: 'every endpoint begins with http://, https://, ws:// or wss://' });
  // It would count as two that agree.
  if (new Set(urls).size < urls.length) context.addIssue({ code: 'custom', message: 'an endpoint is there twice' });
  return urls;
}

/** Reads accounts, comma separated, or `all`. */
export function parseAccounts(text: string): 'all' | string[] {
  if (text.trim().toLowerCase() === 'all') return 'all';
  return text.toUpperCase().replace(/\s/g, '').split(',').filter(Boolean);
}

/** Reads `NAME` or `NAME,eur+gbp@URL`: an instance of a local chain, and what a fork has from before its first block. */
export function parseGenesis(text: string): { name: string; inheritedTokens: string[]; openingRpcUrl?: string } {
  const { name = '', tokens = '', url } = /^(?<name>[^,]*)(,(?<tokens>[a-z+]*)@(?<url>.+))?$/.exec(text)?.groups ?? {};
  return { name, inheritedTokens: tokens.split('+').filter(Boolean), ...(url !== undefined && { openingRpcUrl: url }) };
}

/** Reads references of signers, comma separated. */
export function parseSigners(text: string): string[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((reference) => reference.trim());
}

/** Whether a text names a time zone. */
export function isTimeZone(text: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Reads days, each with the currency that it is for or without one: `2026-12-28,gbp:2026-08-31`. */
export function parseHolidays(text: string, context: z.RefinementCtx): { day: string; currency?: Currency }[] {
  return text
    .split(',')
    .filter(Boolean)
    .flatMap((part) => {
      const [day = '', name] = part.trim().split(':').toReversed();
      const currency = name === undefined ? undefined : currencySchema.safeParse(name);
      if (z.iso.date().safeParse(day).success && currency?.success !== false)
        return [{ day, ...(currency !== undefined && { currency: currency.data }) }];
      context.addIssue({ code: 'custom', message: `"${part}" is not of the form 2026-12-28 or gbp:2026-12-28` });
      return [];
    });
}
