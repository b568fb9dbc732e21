import { getAddress, isAddress, isHex } from 'viem';
import { z } from 'zod';
import type { ChangeRequest } from '../../chain/admin/decide-change.ts';
import type { GrantableRole, TokenChange } from '../../chain/admin/token-change.ts';
import { roleName, tokenRoles } from '../../chain/token/roles.ts';
import { type Chain, chains } from '../../platform/chains.ts';
import { currencySchema, formatAmount, type MinorUnits, parseAmount, toMinorUnits } from '../../platform/money.ts';

/** The roles that are granted and revoked, by the names of `mintrail token show`. */
export const grantableRoles = new Map(
  (Object.keys(tokenRoles) as (keyof typeof tokenRoles)[])
    .filter((role): role is GrantableRole => role !== 'DEFAULT_ADMIN_ROLE')
    .map((role) => [roleName(role), role]),
);

const address = z
  .string()
  .trim()
  .refine((text) => isAddress(text), 'must be an address')
  .transform((text) => getAddress(text));

const amount = z
  .string()
  .trim()
  .refine((text) => parseAmount(text) !== undefined, 'must be an amount such as 1000.00')
  .transform((text) => parseAmount(text) as MinorUnits);

const codeHash = z
  .string()
  .trim()
  .refine((text) => isHex(text) && text.length === 66, 'must be 0x and 64 hexadecimal digits')
  .transform((text) => text.toLowerCase() as `0x${string}`);

const ofToken = { chain: z.enum(chains as [Chain, ...Chain[]]), currency: currencySchema, reason: z.string().trim().max(500).optional() };

/** A change of a token as the browser asks for it: amounts in whole units of the currency, roles by name. */
export const changeInput = z.discriminatedUnion('kind', [
  z.strictObject({ ...ofToken, kind: z.literal('allowance'), operator: address, allowance: amount, dailyLimit: amount.optional() }),
  z.strictObject({ ...ofToken, kind: z.enum(['pause', 'unpause']) }),
  z.strictObject({ ...ofToken, kind: z.enum(['block', 'unblock']), account: address }),
  z.strictObject({ ...ofToken, kind: z.enum(['grant', 'revoke']), role: z.enum([...grantableRoles.keys()]), account: address }),
  z.strictObject({ ...ofToken, kind: z.literal('upgrade'), implementation: address, codeHash: codeHash.optional() }),
]);

/** The request that the input stands for. */
export function requestOf(input: z.output<typeof changeInput>): ChangeRequest {
  switch (input.kind) {
    case 'allowance':
      return { kind: input.kind, operator: input.operator, allowance: input.allowance, dailyLimit: input.dailyLimit };
    case 'grant':
    case 'revoke':
      return { kind: input.kind, role: grantableRoles.get(input.role) as GrantableRole, account: input.account };
    case 'block':
    case 'unblock':
      return { kind: input.kind, account: input.account };
    case 'upgrade':
      return { kind: input.kind, implementation: input.implementation };
    default:
      return { kind: input.kind };
  }
}

/** The input that asks for a change again, such as the one that carries out what has waited in a timelock. */
export function inputOf(change: TokenChange): Record<string, string> {
  switch (change.kind) {
    case 'allowance':
      return {
        kind: change.kind,
        operator: change.operator,
        allowance: formatAmount(toMinorUnits(change.allowance)),
        dailyLimit: formatAmount(toMinorUnits(change.dailyLimit)),
      };
    case 'grant':
    case 'revoke':
      return { kind: change.kind, role: roleName(change.role), account: change.account };
    case 'block':
    case 'unblock':
      return { kind: change.kind, account: change.account };
    case 'upgrade':
      return { kind: change.kind, implementation: change.implementation };
    default:
      return { kind: change.kind };
  }
}
