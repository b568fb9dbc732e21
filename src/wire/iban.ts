import { z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import type { Iban } from '../ledger/customers/ibans.ts';
import * as output from './output-fields.ts';

/** An IBAN as answers and events show it (docs/api.md, IBANs). */
export const ibanSchema = z
  .object({
    iban: output.iban,
    name: z.string().openapi({ description: "the owner's name" }),
    bic: z.string(),
    profile: output.uuid,
    address: output.address,
    chain: output.chain,
    state: z.enum(['requested', 'pending', 'approved', 'rejected', 'closed']),
    emailNotifications: z.boolean(),
  })
  .openapi('Iban');

/** Renders an IBAN for answers and events, with a checksummed address. */
export function ibanBody({ address, ...rest }: Iban): z.infer<typeof ibanSchema> {
  return { ...rest, address: getAddress(address) };
}
