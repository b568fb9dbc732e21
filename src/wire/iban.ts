import { z } from '@hono/zod-openapi';
import { getAddress } from 'viem';
import type { Iban } from '../ledger/customers/ibans.ts';
import * as output from './output-fields.ts';

/** An IBAN as answers and events show it (docs/api.md, IBANs). */
export const ibanSchema = z
  .object({
    iban: output.iban,
    name: z.string().openapi({ description: 'The name of the owner of the account.' }),
    bic: z.string().openapi({ description: 'The BIC of the bank that keeps the account.' }),
    profile: output.profile,
    address: output.address.openapi({ description: 'The address that receives the tokens of incoming payments, in EIP-55 checksum form.' }),
    chain: output.chain.openapi({ description: 'The chain on which it receives them.' }),
    state: z
      .enum(['requested', 'pending', 'approved', 'rejected', 'closed'])
      .openapi({ description: 'Only an `approved` IBAN receives payments. `rejected` and `closed` are final.' }),
    emailNotifications: z.boolean().openapi({ description: 'Whether the owner wants emails about incoming payments.' }),
    linked: z.boolean().openapi({
      description:
        'Whether the address is linked to the profile on that chain. While it is not, because its owner has proved that it is not of this profile, credits wait until the IBAN is moved.',
    }),
  })
  .openapi('Iban', { description: 'The IBAN of a profile. Payments to it become tokens at its address.' });

/** Renders an IBAN for answers and events, with a checksummed address. */
export function ibanBody({ address, ...rest }: Iban): z.infer<typeof ibanSchema> {
  return { ...rest, address: getAddress(address) };
}
