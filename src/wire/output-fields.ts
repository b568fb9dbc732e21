import { z } from '@hono/zod-openapi';
import { chainNames } from '../platform/chains.ts';
import { currencies } from '../platform/money.ts';

// Fields of answers and events (docs/api.md, Shared types). What clients send is more tolerant: see input-fields.ts.

/** A UUID in lower case. */
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)
  .openapi({ format: 'uuid' });

/** An address in EIP-55 checksum form. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .openapi({ description: 'EIP-55 checksum form' });

/** The wire name of a chain. */
export const chain = z.enum(chainNames as [string, ...string[]]);

/** A currency, in wire spelling. */
export const currency = z.enum(currencies);

/** An IBAN in its electronic form: capitals, no spaces. */
export const iban = z.string().regex(/^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/);

/** An amount of a currency as a decimal with two places. */
export const amount = z.string().regex(/^\d+\.\d{2}$/);

/** A moment in UTC, as in RFC 3339. */
export const time = z.iso.datetime();
