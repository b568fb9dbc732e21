import { getAddress, isAddress } from 'viem';
import { z } from 'zod';
import { releaseAddress } from '../../ledger/customers/release-address.ts';
import { findProfile } from '../../ledger/customers/profile-sections.ts';
import { describeAddress } from '../../ledger/orders/address-description.ts';
import { decideContest, nobodyElse } from '../../ledger/orders/contested-links.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { lowerAddress } from '../../platform/addresses.ts';
import { asChain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { defineVerb } from '../verb.ts';

const roles = ['reviewer', 'administrator'] as const;
const topics = ['customers', 'status'] as const;
const address = z
  .string()
  .refine((value) => isAddress(value, { strict: false }), 'must be an address')
  .transform((value) => lowerAddress(value))
  .describe('the address');

/** Decides for whom of several profiles an address waits. */
export const decideAddress = defineVerb({
  name: 'customers.decide-address',
  summary: 'turn down all profiles but one that wait for the same sentence of an account on chain',
  command: 'address decide <address>',
  input: z.strictObject({
    address,
    chain: z.string().min(1).max(100).meta({ description: 'chain on which they wait', flags: '--chain <name>' }),
    profile: z.uuid().describe('profile whose address it is'),
  }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger }, input) {
    const { waiting } = await describeAddress(ledger, input.address);
    const onChain = waiting.filter(({ chain, proof }) => chain === input.chain && proof === 'sentence on chain');
    if (onChain.every(({ profile }) => profile !== input.profile))
      throw new StopError({
        code: 'not_possible',
        message: `The profile ${input.profile} does not wait for a signature of ${input.address} on ${input.chain}`,
      });
    const others = [...new Set(onChain.map(({ profile }) => profile))].filter((profile) => profile !== input.profile);
    if (others.length === 0) throw nobodyElse(input.address, input.chain);
    const names = await Promise.all(others.map(async (profile) => nameOf(ledger, profile)));
    return `Decide that ${getAddress(input.address)} on ${input.chain} is the address of ${await nameOf(ledger, input.profile)}, as soon as its signature is confirmed. Turned down: ${names.join(', ')}.`;
  },
  async carryOut({ ledger }, input) {
    const { chain, profile } = input;
    const turnedDown = await decideContest(ledger, input.address, asChain(chain), profile);
    return { address: getAddress(input.address), chain, profile, turnedDown };
  },
  topics,
});

/** Takes an address from a profile. */
export const releaseAddressOf = defineVerb({
  name: 'customers.release-address',
  summary: 'take an address from a profile; payments to its IBAN that lead there wait until the IBAN is moved',
  command: 'address release <address>',
  input: z.strictObject({ address, profile: z.uuid().describe('profile that has it') }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger }, input) {
    const { links } = await describeAddress(ledger, input.address);
    const chains = links.filter(({ profile }) => profile === input.profile).map(({ chain }) => chain);
    if (chains.length === 0)
      throw new StopError({
        code: 'address_not_linked',
        message: `The address ${input.address} is not linked to the profile ${input.profile}`,
      });
    return `Take ${getAddress(input.address)} (${chains.join(', ')}) from ${await nameOf(ledger, input.profile)}. Payments to its IBAN that lead there wait until the IBAN is moved.`;
  },
  async carryOut({ ledger }, input) {
    await releaseAddress(ledger, input.address, input.profile);
    return { address: getAddress(input.address), profile: input.profile };
  },
  topics,
});

async function nameOf(ledger: Ledger, profile: string): Promise<string> {
  return `${(await findProfile(ledger, profile))?.name ?? 'an unknown profile'} (profile ${profile})`;
}
