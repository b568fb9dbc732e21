import { z } from '@hono/zod-openapi';
import { chainNames } from '../platform/chains.ts';
import { currencies } from '../platform/money.ts';

// Fields of answers and events (docs/api.md, Shared types). What clients send is more tolerant: see input-fields.ts.

/** A UUID in lower case. */
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)
  .openapi({ format: 'uuid', description: 'A UUID in lower case.' });

/** The profile that something belongs to. */
export const profile = uuid.openapi({ description: 'Id of the profile that it belongs to.' });

/** An address in EIP-55 checksum form. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .openapi({ description: 'An address in EIP-55 checksum form.' });

/** The wire name of a chain. */
export const chain = z.enum(chainNames as [string, ...string[]]).openapi({ description: 'The name of a chain.' });

/** A currency, in wire spelling. */
export const currency = z.enum(currencies).openapi({ description: 'A currency; its token is `EURe`, `USDe`, `GBPe` or `ISKe`.' });

/** An IBAN in its electronic form: capitals, no spaces. */
export const iban = z
  .string()
  .regex(/^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/)
  .openapi({ description: 'An IBAN in capitals, without spaces.' });

/** An amount of a currency as a decimal with two places. */
export const amount = z
  .string()
  .regex(/^\d+\.\d{2}$/)
  .openapi({ description: 'An amount in units of the currency: a decimal string with two decimals, such as `10.50`.' });

/** A moment in UTC, as in RFC 3339. */
export const time = z.iso.datetime().openapi({ description: 'A time in UTC (RFC 3339).' });

/** The hash of a transaction. */
export const txHash = z.string().openapi({ description: 'The hash of a transaction: `0x` and 64 hexadecimal digits.' });
