import { type Hex, keccak256, stringToHex, zeroHash } from 'viem';

/** The roles of a token (contracts/src/EMoneyToken.sol). */
export const tokenRoles = {
  DEFAULT_ADMIN_ROLE: zeroHash,
  OPERATOR_ROLE: role('OPERATOR_ROLE'),
  ALLOWANCE_ROLE: role('ALLOWANCE_ROLE'),
  BLOCKER_ROLE: role('BLOCKER_ROLE'),
  UNBLOCKER_ROLE: role('UNBLOCKER_ROLE'),
  PAUSER_ROLE: role('PAUSER_ROLE'),
  UNPAUSER_ROLE: role('UNPAUSER_ROLE'),
  RESCUER_ROLE: role('RESCUER_ROLE'),
  UPGRADER_ROLE: role('UPGRADER_ROLE'),
} as const;

/** The name of a role of the token contract. */
export type TokenRole = keyof typeof tokenRoles;

/** The roles of an admin: all but the operator's. */
export const adminRoles = (Object.keys(tokenRoles) as TokenRole[]).filter((name) => name !== 'OPERATOR_ROLE');

/** What a timelock gets in the admin's stead. */
export const timelockRoles: readonly TokenRole[] = ['ALLOWANCE_ROLE', 'UPGRADER_ROLE'];

/** Roles of a timelock (OpenZeppelin's TimelockController). Whoever proposes schedules calls; whoever executes carries them out after their delay. */
export const timelockCallerRoles = {
  PROPOSER_ROLE: role('PROPOSER_ROLE'),
  EXECUTOR_ROLE: role('EXECUTOR_ROLE'),
  CANCELLER_ROLE: role('CANCELLER_ROLE'),
} as const;

/** A role as texts and the command line call it: `operator`, `admin`. */
export function roleName(name: TokenRole | keyof typeof timelockCallerRoles): string {
  return name === 'DEFAULT_ADMIN_ROLE' ? 'admin' : name.replace(/_ROLE$/, '').toLowerCase();
}

/** The name of a role by its id in a contract; undefined for one that neither a token nor a timelock has. */
export function roleNameOfId(id: Hex): string | undefined {
  const known = Object.entries({ ...tokenRoles, ...timelockCallerRoles }) as [TokenRole, Hex][];
  const [name] = known.find(([, value]) => value === id) ?? [];
  return name && roleName(name);
}

function role(name: string): Hex {
  return keccak256(stringToHex(name));
}
