import { type Address, decodeFunctionData, encodeFunctionData, getAddress, type Hex } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { type Currency, toMinorUnits, toTokenUnits, type TokenUnits, tokenUnits } from '../../platform/money.ts';
import { formatTokens } from '../token/amounts.ts';
import { roleName, type TokenRole, tokenRoles } from '../token/roles.ts';

/** The roles that are granted and revoked. The default admin is handed over in two steps instead. */
export type GrantableRole = Exclude<TokenRole, 'DEFAULT_ADMIN_ROLE'>;

/** A change of a token by an account with a role. */
export type TokenChange =
  | {
      kind: 'allowance';
      operator: Address;
      /** The operator's allowance when the change was decided. What it issues from then on is taken off the new one. */
      expected: TokenUnits;
      allowance: TokenUnits;
      /** For a day of UTC. */
      dailyLimit: TokenUnits;
    }
  | { kind: 'pause' | 'unpause' }
  | { kind: 'block' | 'unblock'; account: Address }
  | { kind: 'grant' | 'revoke'; role: GrantableRole; account: Address }
  | { kind: 'upgrade'; implementation: Address };

const abi = eMoneyTokenAbi;

/** Calldata of the token that makes the change. */
export function encodeChange(change: TokenChange): Hex {
  switch (change.kind) {
    case 'allowance': {
      const { operator, expected, allowance, dailyLimit } = change;
      return encodeFunctionData({ abi, functionName: 'setMintAllowance', args: [operator, expected, allowance, dailyLimit] });
    }
    case 'pause':
    case 'unpause':
      return encodeFunctionData({ abi, functionName: change.kind });
    case 'block':
      return encodeFunctionData({ abi, functionName: 'blockAccount', args: [change.account] });
    case 'unblock':
      return encodeFunctionData({ abi, functionName: 'unblockAccount', args: [change.account] });
    case 'grant':
      return encodeFunctionData({ abi, functionName: 'grantRole', args: [tokenRoles[change.role], change.account] });
    case 'revoke':
      return encodeFunctionData({ abi, functionName: 'revokeRole', args: [tokenRoles[change.role], change.account] });
    case 'upgrade':
      return encodeFunctionData({ abi, functionName: 'upgradeToAndCall', args: [change.implementation, '0x'] });
  }
}

/** The change that calldata makes. Undefined for calldata that `encodeChange` does not write, to the last byte. */
export function decodeChange(data: Hex): TokenChange | undefined {
  try {
    const change = read(data);
    return change && encodeChange(change) === data.toLowerCase() ? change : undefined;
  } catch {
    return undefined;
  }
}

/** What a change does, in words for whoever signs it. */
export function describeChange(change: TokenChange, currency: Currency): string {
  const money = (amount: TokenUnits) => formatTokens(amount, currency);
  switch (change.kind) {
    case 'allowance':
      return `the operator ${getAddress(change.operator)} may issue ${money(change.allowance)} more, and ${money(change.dailyLimit)} a day; it may issue ${money(change.expected)} now, and what it issues of that before the change is taken off`;
    case 'pause':
      return 'pause the token: nobody can transfer, issue or redeem';
    case 'unpause':
      return 'resume the token: everybody can transfer, issue and redeem again';
    case 'block':
      return `block the account ${getAddress(change.account)}: it can neither send nor receive`;
    case 'unblock':
      return `unblock the account ${getAddress(change.account)}: it can send and receive again`;
    case 'grant':
      return `give the role ${roleName(change.role)} to ${getAddress(change.account)}: it may ${powers[change.role]}`;
    case 'revoke':
      return `take the role ${roleName(change.role)} from ${getAddress(change.account)}: it may no longer ${powers[change.role]}`;
    case 'upgrade':
      return `replace the code of the token by ${getAddress(change.implementation)}`;
  }
}

/** What the holder of a role may do, in words. */
const powers = {
  OPERATOR_ROLE: 'issue within its allowance, and redeem what a holder has signed',
  ALLOWANCE_ROLE: 'set what operators may issue',
  BLOCKER_ROLE: 'block accounts',
  UNBLOCKER_ROLE: 'unblock accounts',
  PAUSER_ROLE: 'pause the token',
  UNPAUSER_ROLE: 'resume the token',
  RESCUER_ROLE: 'send on what was sent to the contract of the token by mistake',
  UPGRADER_ROLE: 'replace the code of the token, and choose who may set allowances',
} as const satisfies Record<GrantableRole, string>;

function read(data: Hex): TokenChange | undefined {
  const { functionName, args } = decodeFunctionData({ abi, data });
  switch (functionName) {
    case 'setMintAllowance': {
      const [operator, ...amounts] = args;
      const [expected, allowance, dailyLimit] = amounts.map(tokenUnits) as [TokenUnits, TokenUnits, TokenUnits];
      // Words that show an amount rounded would hide a part of it.
      if ([expected, allowance, dailyLimit].some((amount) => toTokenUnits(toMinorUnits(amount)) !== amount)) return undefined;
      return { kind: 'allowance', operator, expected, allowance, dailyLimit };
    }
    case 'pause':
    case 'unpause':
      return { kind: functionName };
    case 'blockAccount':
      return { kind: 'block', account: args[0] };
    case 'unblockAccount':
      return { kind: 'unblock', account: args[0] };
    case 'grantRole':
    case 'revokeRole': {
      const role = roleOf(args[0]);
      return role && { kind: functionName === 'grantRole' ? 'grant' : 'revoke', role, account: args[1] };
    }
    case 'upgradeToAndCall':
      return { kind: 'upgrade', implementation: args[0] };
    default:
      return undefined;
  }
}

function roleOf(id: Hex): GrantableRole | undefined {
  const [role] = Object.entries(tokenRoles).find(([, known]) => known === id) ?? [];
  return role === 'DEFAULT_ADMIN_ROLE' ? undefined : (role as GrantableRole | undefined);
}
