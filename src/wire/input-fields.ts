import { z } from '@hono/zod-openapi';
import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import { getAddress } from 'viem';
import { lowerAddress } from '../platform/addresses.ts';
import { type Chain, chainName, spellingsOf } from '../platform/chains.ts';
import { currencies, parseAmount } from '../platform/money.ts';
import type { Settings } from '../platform/settings.ts';
import { uuidPattern } from '../platform/uuid.ts';
import { countCharacters, isStorable, controlCharacters } from './text.ts';

// Fields that clients send (docs/api.md, Shared types). Each accepts several spellings and is parsed to a single one.

/** A UUID of any version, parsed to lower case. */
export const uuid = z
  .string()
  .regex(uuidPattern, 'must be a UUID')
  .transform((value) => value.toLowerCase())
  .openapi({ format: 'uuid', description: 'A UUID of any version, in any case.' });

/** The id that a client chooses for an order. */
export const newOrderId = uuid.openapi({
  description: 'An id that the client chooses. The same id with the same body is the same order; with another body it is 409.',
});

/** The order of a path; text that is not a UUID is answered like the order of somebody else. */
export const orderId = z.string().openapi({ format: 'uuid', description: 'Id of the order.' });

/** The profile that a request is about. */
export const profile = uuid.openapi({ description: 'Id of the profile. Without it, the default profile of the caller.' });

const unstorable = 'must be well-formed Unicode without NUL characters';

/** Free text of at most `max` UTF-16 units that PostgreSQL can store. */
export function text(max: number) {
  return z.string().max(max).refine(isStorable, unstorable);
}

const controlled = 'must not contain control characters';

function hasNoControlCharacters(value: string): boolean {
  return !controlCharacters.test(value);
}

// It aborts, because the rules of banks would say the same again of the whole name.
const damaged = { error: 'must not contain U+FFFD, which stands for a character that was lost before', abort: true };

/** Whoever decodes bytes in the wrong encoding writes U+FFFD for what is none of its characters. Nobody's name has it. */
function isUndamaged(value: string): boolean {
  return !value.includes('\uFFFD');
}

/** One line of at most `max` UTF-16 units, such as a name. */
export function line(max: number) {
  return text(max).refine(hasNoControlCharacters, controlled).refine(isUndamaged, damaged);
}

/** One line of `min` to `max` characters (Unicode code points) that a bank's XML can hold. */
export function characters(min: number, max: number) {
  return z
    .string()
    .refine(isStorable, unstorable)
    .refine(hasNoControlCharacters, controlled)
    .refine(isUndamaged, damaged)
    .refine(
      (value) => countCharacters(value) >= min && countCharacters(value) <= max,
      min === 0 ? `must be at most ${max} characters long` : `must be ${min} to ${max} characters long`,
    )
    .openapi({ minLength: min, maxLength: max });
}

/** More than any wallet sends: a Safe with two hundred owners and an account with its deployment included. */
const maxSignatureBytes = 16_384;

/** A signature of a key or a contract account; `0x` alone means that the account signs on chain (docs/api.md, Signatures). */
export const signature = z
  .string()
  .max(2 + 2 * maxSignatureBytes, `must be at most ${maxSignatureBytes} bytes`)
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be bytes in hexadecimal with the prefix 0x, or 0x alone when signed on chain')
  .transform((value) => value.toLowerCase() as `0x${string}`)
  .openapi({
    description:
      'The signature of the message, hashed as EIP-191, in hexadecimal with the prefix `0x`: 65 bytes of a key, or the bytes that a contract ' +
      'account accepts (ERC-1271). Exactly `0x` if the account signs on chain. At most 16,384 bytes.',
  });

/** An address, parsed to lower case. Its checksum is not looked at: a signature or a link proves whose it is. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hexadecimal digits')
  .transform(lowerAddress)
  .openapi({ description: 'An address: `0x` and 40 hexadecimal digits, in any case.' });

/** Whether an address is spelt in mixed case, and not as its EIP-55 checksum form. */
export function hasWrongChecksum(value: string): boolean {
  const digits = value.slice(2);
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase() && getAddress(lowerAddress(value)) !== value;
}

/** A chain on which this deployment has a network, by any of its names; parsed to its wire name. */
export function chain(settings: Settings) {
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
    .openapi({ type: 'string', enum: configured.flatMap(spellingsOf), description: 'The name of a chain that is configured here.' });
}

/** An optional query parameter that may be repeated: a list, of which a value that is not valid is a single issue. */
export function repeatable<const Value extends string>(values: readonly Value[], description: string) {
  return z
    .array(z.custom<Value>())
    .refine((list) => list.every((item) => values.includes(item)), `must be one of ${values.join(', ')}`)
    .optional()
    .openapi({ type: 'array', items: { type: 'string', enum: [...values] }, description: `${description} May be repeated.` });
}

/** An IBAN with or without spaces, in any case; parsed to its electronic form. */
export const iban = z
  .string()
  .transform((value, context) => {
    const electronic = electronicFormatIBAN(value) ?? '';
    // A QR-IBAN is an IBAN too, although only Swiss QR bills use it.
    if (isValidIBAN(electronic, { allowQRIBAN: true })) return electronic;
    context.addIssue({ code: 'custom', message: 'is not a valid IBAN' });
    return z.NEVER;
  })
  .openapi({ type: 'string', description: 'An IBAN, with or without spaces and in any case. Its check digits must be right.' });

/** A currency, in wire spelling. */
export const currency = z.enum(currencies).openapi({ description: 'The currency.' });

/** A positive decimal with at most two places; parsed to minor units. */
export const amount = z
  .string()
  .transform((value, context) => {
    const minorUnits = parseAmount(value);
    if (minorUnits !== undefined && minorUnits > 0n) return minorUnits;
    context.addIssue({
      code: 'custom',
      message: minorUnits === 0n ? 'must be greater than zero' : 'must be digits with at most two decimals, such as 10.50',
    });
    return z.NEVER;
  })
  .openapi({
    type: 'string',
    // A digit other than zero before the point, or else after it; not every engine has lookaheads.
    pattern: String.raw`^(\d*[1-9]\d*(\.\d{1,2})?|\d+\.(\d?[1-9]|[1-9]\d))$`,
    description:
      'An amount in units of the currency, greater than zero: a decimal string with at most two decimals, such as `10.5` or `10.50`.',
  });
