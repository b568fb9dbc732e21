import { type Address, isAddressEqual } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { StopError } from '../../platform/errors.ts';
import { type MinorUnits, toTokenUnits, tokenUnits } from '../../platform/money.ts';
import { hasCode, implementationSlot, readIfSupported, readImplementation } from '../contract.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { adminRoles, roleName, type TokenRole, tokenRoles } from '../token/roles.ts';
import type { TokenChange } from './token-change.ts';

/** A change as an operator asks for it: an allowance in the currency, without what the chain says of the operator. */
export type ChangeRequest =
  | { kind: 'allowance'; operator: Address; allowance: MinorUnits; dailyLimit: MinorUnits | undefined }
  | Exclude<TokenChange, { kind: 'allowance' }>;

/**
 * The change of a token that a request stands for at this moment. Throws `no_change` where the token is so already, and
 * `bad_input` or `not_possible` for a request that would do harm or nothing.
 */
export async function decideChange(rpc: Rpc, token: Address, request: ChangeRequest): Promise<TokenChange> {
  switch (request.kind) {
    case 'allowance':
      return decideAllowance(rpc, token, request);
    case 'grant':
    case 'revoke':
      await requireRoleChange(rpc, token, request);
      return request;
    case 'upgrade':
      await requireUpgrade(rpc, token, request.implementation);
      return request;
    default:
      await requireDifference(rpc, token, request);
      return request;
  }
}

type RequestOf<Kind extends ChangeRequest['kind']> = Extract<ChangeRequest, { kind: Kind }>;

async function decideAllowance(rpc: Rpc, token: Address, request: RequestOf<'allowance'>): Promise<TokenChange> {
  const { operator } = request;
  const read = { address: token, abi: eMoneyTokenAbi, args: [operator] } as const;
  if (!(await holds(rpc, token, 'OPERATOR_ROLE', operator)))
    throw new StopError({
      code: 'not_possible',
      message: `${operator} is no operator of the token ${token}: grant it the role first, by mintrail token grant operator ${operator}`,
    });
  const [expected, presentLimit] = await Promise.all([
    rpc.readContract({ ...read, functionName: 'mintAllowance' }),
    rpc.readContract({ ...read, functionName: 'dailyMintLimit' }),
  ]);
  const allowance = toTokenUnits(request.allowance);
  const dailyLimit = request.dailyLimit === undefined ? tokenUnits(presentLimit) : toTokenUnits(request.dailyLimit);
  if (allowance > 0n && dailyLimit === 0n)
    throw new StopError({
      code: 'bad_input',
      message: `${operator} could issue nothing, because its limit of a day is 0: give --daily-mint-limit`,
    });
  if (allowance === expected && dailyLimit === presentLimit) throw noChange(`${operator} has this allowance and this limit of a day`);
  return { kind: 'allowance', operator, expected: tokenUnits(expected), allowance, dailyLimit };
}

async function requireDifference(rpc: Rpc, token: Address, request: RequestOf<'pause' | 'unpause' | 'block' | 'unblock'>): Promise<void> {
  const read = { address: token, abi: eMoneyTokenAbi } as const;
  if ('account' in request) {
    const blocked = await rpc.readContract({ ...read, functionName: 'blocked', args: [request.account] });
    if (blocked === (request.kind === 'block')) throw noChange(`${request.account} is ${blocked ? '' : 'not '}blocked`);
    return;
  }
  const paused = await rpc.readContract({ ...read, functionName: 'paused' });
  if (paused === (request.kind === 'pause')) throw noChange(`the token is ${paused ? '' : 'not '}paused`);
}

/** An operator's key is always in use, so it must hold no other role. */
async function requireRoleChange(rpc: Rpc, token: Address, { kind, role, account }: RequestOf<'grant' | 'revoke'>): Promise<void> {
  const held = await holds(rpc, token, role, account);
  if (held === (kind === 'grant')) throw noChange(`${account} ${held ? 'holds' : 'does not hold'} the role ${roleName(role)}`);
  if (kind === 'revoke') return;
  const apart: readonly TokenRole[] = role === 'OPERATOR_ROLE' ? adminRoles : ['OPERATOR_ROLE'];
  for (const other of apart)
    if (await holds(rpc, token, other, account))
      throw new StopError({
        code: 'bad_input',
        message: `${account} holds the role ${roleName(other)} and cannot get the role ${roleName(role)}: an operator holds no other role`,
      });
}

async function requireUpgrade(rpc: Rpc, token: Address, implementation: Address): Promise<void> {
  const present = await readImplementation(rpc, token);
  if (present && isAddressEqual(present, implementation)) throw noChange(`the code of the token is ${implementation}`);
  const wrong = (await hasCode(rpc, implementation)) ? await faultOf(rpc, implementation) : 'there is no contract';
  if (wrong) throw new StopError({ code: 'not_possible', message: `The token cannot be upgraded to ${implementation}: ${wrong}` });
}

/** What makes a contract no implementation of a token (ERC-1822), from which the token could not be upgraded again. */
async function faultOf(rpc: Rpc, implementation: Address): Promise<string | undefined> {
  const read = { address: implementation, abi: eMoneyTokenAbi } as const;
  const slot = await readIfSupported(rpc, () => rpc.readContract({ ...read, functionName: 'proxiableUUID' }));
  if (slot !== implementationSlot) return 'it is no UUPS implementation, whose proxiableUUID is the slot of ERC-1967; it may be a proxy';
  const roles = await readIfSupported(rpc, () =>
    Promise.all([
      rpc.readContract({ ...read, functionName: 'OPERATOR_ROLE' }),
      rpc.readContract({ ...read, functionName: 'UPGRADER_ROLE' }),
    ]),
  );
  if (roles?.[0] !== tokenRoles.OPERATOR_ROLE || roles[1] !== tokenRoles.UPGRADER_ROLE) return 'it is no e-money token';
  return undefined;
}

function holds(rpc: Rpc, token: Address, role: TokenRole, account: Address): Promise<boolean> {
  return rpc.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'hasRole', args: [tokenRoles[role], account] });
}

function noChange(present: string): StopError {
  return new StopError({ code: 'no_change', message: `Nothing was done: ${present} already` });
}
