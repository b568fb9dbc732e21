import { z } from '@hono/zod-openapi';
import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import { getAddress } from 'viem';
import { type Chain, chainName, chainNames } from '../platform/chains.ts';
import { currencies, parseAmount } from '../platform/money.ts';
import type { Settings } from '../platform/settings.ts';

/** Shapes that several parts share (docs/api.md, Shared types). The ones that end in `Out` are answers, the others what clients send. */

const uuidPattern = /^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;

/** UUID of any version, answered in lower case. */
export const uuid = z
  .string()
  .regex(uuidPattern, 'must be a UUID')
  .transform((text) => text.toLowerCase())
  .openapi({ format: 'uuid' });

export const uuidOut = z
  .string()
  .regex(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)
  .openapi({ format: 'uuid' });

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}

/** Free text that PostgreSQL can keep: no NUL character and no half of a surrogate pair. */
export function text(max: number) {
  return z.string().max(max).refine(isStorable, unstorable);
}

const unstorable = 'must be well-formed Unicode without NUL characters';

function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

/** Text for a bank, counted in characters, not in UTF-16 units: without what its XML cannot hold. */
export function characters(min: number, max: number) {
  return z
    .string()
    .refine(isStorable, unstorable)
    .refine((value) => !notInXml.test(value), 'must not contain control characters')
    .refine(
      (value) => countCharacters(value) >= min && countCharacters(value) <= max,
      min === 0 ? `must be at most ${max} characters long` : `must be ${min} to ${max} characters long`,
    )
    .openapi({ minLength: min, maxLength: max });
}

/** Code points: an emoji is one character. */
export function countCharacters(value: string): number {
  return Array.from(value).length;
}

/** XML 1.0 holds neither these nor surrogates that stand alone. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const notInXml = /[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/;

/** More bytes than any wallet signs with, a Safe with two hundred owners or an account and its deployment included. */
const maxSignatureBytes = 16_384;

/** A signature of a key or a contract account; `0x` says that the account signs on chain (docs/api.md, Signatures). */
export const signature = z
  .string()
  .max(2 + 2 * maxSignatureBytes, `must be at most ${maxSignatureBytes} bytes`)
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be bytes in hexadecimal with the prefix 0x, or 0x alone when signed on chain')
  .transform((value) => value.toLowerCase() as `0x${string}`);

/** An address in any case, kept in lower case; mixed case must be its EIP-55 checksum. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hexadecimal digits')
  .refine(hasSoundChecksum, 'has a wrong checksum')
  .transform((value) => value.toLowerCase() as `0x${string}`);

export const addressOut = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .openapi({ description: 'EIP-55 checksum form' });

function hasSoundChecksum(value: string): boolean {
  const digits = value.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase() || digits.length !== 40) return true;
  try {
    return getAddress(value.toLowerCase()) === value;
  } catch {
    return true; // Not an address at all: the pattern says so already.
  }
}

/** A chain of the enumeration that this deployment has, by its one-word name. */
export function configuredChain(settings: Settings) {
  const configured = Object.keys(settings.networks);
  return z
    .string()
    .transform((name, context): Chain => {
      const known = chainName(name);
      if (known !== undefined && configured.includes(known)) return known as Chain;
      const reason = known === undefined ? 'is not a chain' : 'is not configured here';
      context.addIssue({ code: 'custom', message: `${reason}: must be one of ${configured.join(', ')}` });
      return z.NEVER;
    })
    .openapi({ type: 'string', enum: configured });
}

export const chainOut = z.enum(chainNames as [string, ...string[]]);

/** A query parameter that may be repeated. */
export function repeatable<const Value extends string>(values: readonly Value[]) {
  return z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((given, context): Value[] | undefined => {
      const list = given === undefined ? undefined : [given].flat();
      if (list?.every((value) => values.some((known) => known === value)) ?? true) return list as Value[] | undefined;
      context.addIssue({ code: 'custom', message: `must be one of ${values.join(', ')}` });
      return z.NEVER;
    })
    .openapi({ type: 'array', items: { type: 'string', enum: [...values] } });
}

export const currencyOut = z.enum(currencies);

/** An IBAN with or without spaces, in any case, kept in its electronic form. */
export const iban = z.string().transform((given, context) => {
  const electronic = electronicFormatIBAN(given) ?? '';
  // A QR-IBAN is one, even if only Swiss QR bills use it.
  if (isValidIBAN(electronic, { allowQRIBAN: true })) return electronic;
  context.addIssue({ code: 'custom', message: 'is not a valid IBAN' });
  return z.NEVER;
});

export const ibanOut = z.string().regex(/^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/);

/** A positive amount as a decimal string, in minor units. */
export const amount = z
  .string()
  .transform((given, context) => {
    const minorUnits = parseAmount(given);
    if (minorUnits !== undefined && minorUnits > 0n) return minorUnits;
    context.addIssue({
      code: 'custom',
      message: minorUnits === 0n ? 'must be greater than zero' : 'must be digits with at most two decimals, such as 10.50',
    });
    return z.NEVER;
  })
  .openapi({ type: 'string', pattern: '^\\d+(\\.\\d{1,2})?$' });

export const amountOut = z.string().regex(/^\d+\.\d{2}$/);

export const timeOut = z.iso.datetime();

export const accepted = z.object({ code: z.literal(202), status: z.literal('Accepted') }).openapi('Accepted');

export const errorBody = z
  .object({
    code: z.int().openapi({ description: 'the HTTP status' }),
    status: z.string().openapi({ description: 'its reason phrase' }),
    message: z.string(),
    reason: z.string().openapi({ description: 'stable code of what happened, as docs/errors.md lists them; more may be added' }),
    errors: z.record(z.string(), z.string()).optional().openapi({ description: 'one text per wrong field' }),
  })
  .openapi('Error');

const meanings = {
  400: 'The request is not valid',
  401: 'Missing or invalid bearer token',
  403: 'The caller is not allowed to do this',
  404: 'Not found',
  406: 'Another version than 2 was asked for',
  409: 'It conflicts with what there is, or a request with this idempotency key is being answered: Retry-After says when to try again',
  413: 'The body is too large',
  422: 'The idempotency key was used for another request',
  429: 'Too many requests: the header Retry-After says after how many seconds there is room',
  500: 'Internal error',
  503: 'Out of service for the moment',
} as const;

type Refusal = keyof typeof meanings;

/** A JSON body in a route's `responses` or `request.body`. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

/** The refusals an endpoint documents; 429, 500 and 503 may always come. */
export function refusals<const Status extends Refusal>(...statuses: Status[]) {
  const entries = [...statuses, 429 as const, 500 as const, 503 as const].map((status) => [status, json(errorBody, meanings[status])]);
  return Object.fromEntries(entries) as Record<Status | 429 | 500 | 503, ReturnType<typeof json<typeof errorBody>>>;
}

/** Documentation of endpoints that need a bearer token, under their heading. */
export function bearerAccess(heading: string) {
  return { tags: [heading], security: [{ bearer: [] }] };
}
