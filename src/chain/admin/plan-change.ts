import { type Address, getAddress, type Hex, zeroAddress } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { timelockControllerAbi } from '../../../abis/timelockController.ts';
import { RetryError, StopError } from '../../platform/errors.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { roleName, roleNameOfId, timelockCallerRoles, type TokenRole, tokenRoles } from '../token/roles.ts';
import { type ActingAccount, findActingAccount } from './acting-account.ts';
import type { AdminCall } from './admin-call.ts';
import { encodeTimelockStep, newOperation, type ScheduledOperation, scheduledOperations, type TimelockStep } from './timelock.ts';
import { decodeChange, encodeChange, type TokenChange } from './token-change.ts';

/** The call that makes a change, and the account that must make the call. */
export interface PlannedCall {
  to: Address;
  data: Hex;
  call: AdminCall;
  account: Exclude<ActingAccount, { kind: 'timelock' }>;
}

/** What a plan depends on besides the change. */
export interface PlanContext {
  token: Address;
  /** Addresses of the signers at hand. */
  signers: readonly Address[];
  /** The block from which on grants of roles and operations of a timelock are read. */
  fromBlock: bigint;
}

/**
 * Finds who holds the role that a change needs, and so which call makes it: one of the token itself, or where a timelock holds the role, one that
 * schedules the change there or, after its delay, carries it out. Throws `not_possible`, and `not_possible_yet` before the delay is over.
 */
export async function planChange(rpc: Rpc, change: TokenChange, context: PlanContext): Promise<PlannedCall> {
  const { token, signers, fromBlock } = context;
  const role = await roleFor(rpc, token, change);
  const admin = await rpc.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'defaultAdmin' });
  const search = {
    contract: token,
    role,
    name: `the role ${roleNameOfId(role) ?? role} of the token ${token}`,
    fromBlock,
    likely: [admin],
  };
  const holder = await findActingAccount(rpc, search, signers);
  if (holder.kind !== 'timelock') return { to: token, data: encodeChange(change), call: { change }, account: holder };
  const { address: timelock, delay } = holder;
  const step = await nextStep(rpc, timelock, delay, { change, token, fromBlock });
  const account = await findCaller(rpc, timelock, step, { admin, signers, fromBlock });
  const decided = decodeChange(step.operation.data) ?? change;
  return { to: timelock, data: encodeTimelockStep(step), call: { change: decided, timelock: { address: timelock, step } }, account };
}

/** The id of the role that a change needs. Throws when the node does not answer. */
export function roleFor(rpc: Rpc, token: Address, change: TokenChange): Promise<Hex> {
  if (change.kind === 'grant' || change.kind === 'revoke')
    return rpc.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'getRoleAdmin', args: [tokenRoles[change.role]] });
  return Promise.resolve(tokenRoles[roles[change.kind]]);
}

const roles = {
  allowance: 'ALLOWANCE_ROLE',
  pause: 'PAUSER_ROLE',
  unpause: 'UNPAUSER_ROLE',
  block: 'BLOCKER_ROLE',
  unblock: 'UNBLOCKER_ROLE',
  upgrade: 'UPGRADER_ROLE',
} as const satisfies Partial<Record<TokenChange['kind'], TokenRole>>;

/** Schedules the change, or carries it out if it was scheduled before. */
async function nextStep(
  rpc: Rpc,
  timelock: Address,
  delay: bigint,
  { change, token, fromBlock }: { change: TokenChange; token: Address; fromBlock: bigint },
): Promise<TimelockStep> {
  const search = { timelock, target: token, fromBlock, matches: (data: Hex) => isSame(decodeChange(data), change) };
  const [operation] = await scheduledOperations(rpc, search);
  if (!operation) return { step: 'schedule', operation: await newOperation(rpc, timelock, token, encodeChange(change)), delay };
  await requireReady(rpc, timelock, operation);
  return { step: 'execute', operation };
}

/**
 * Whether what was scheduled makes the change. An allowance may have been expected to be higher than it is now, because it falls with every issue in
 * the meantime; the token refuses one that was expected to be lower.
 */
function isSame(scheduled: TokenChange | undefined, change: TokenChange): boolean {
  if (scheduled?.kind === 'allowance' && change.kind === 'allowance')
    return scheduled.expected >= change.expected && encodeChange({ ...scheduled, expected: change.expected }) === encodeChange(change);
  return scheduled !== undefined && encodeChange(scheduled) === encodeChange(change);
}

async function requireReady(rpc: Rpc, timelock: Address, { readyAt }: ScheduledOperation): Promise<void> {
  const { timestamp } = await rpc.getBlock({ blockTag: 'latest' });
  if (timestamp >= readyAt) return;
  const time = new Date(Number(readyAt) * 1_000).toISOString();
  throw new RetryError({
    code: 'not_possible_yet',
    message: `The change waits in the timelock ${timelock} until ${time}: run the same command again then`,
  });
}

async function findCaller(
  rpc: Rpc,
  timelock: Address,
  { step }: TimelockStep,
  { admin, signers, fromBlock }: { admin: Address; signers: readonly Address[]; fromBlock: bigint },
): Promise<PlannedCall['account']> {
  const name = step === 'schedule' ? 'PROPOSER_ROLE' : 'EXECUTOR_ROLE';
  const role = timelockCallerRoles[name];
  const [anybody] = signers;
  if (anybody && step === 'execute' && (await isOpen(rpc, timelock))) return { kind: 'key', address: getAddress(anybody) };
  const search = { contract: timelock, role, name: `the role ${roleName(name)} of the timelock ${timelock}`, fromBlock, likely: [admin] };
  const caller = await findActingAccount(rpc, search, signers);
  if (caller.kind !== 'timelock') return caller;
  throw new StopError({
    code: 'not_possible',
    message: `The role ${roleName(name)} of the timelock ${timelock} is held by another timelock, ${caller.address}`,
  });
}

/** Whether everybody may carry out what has waited: the zero address then holds the role. */
function isOpen(rpc: Rpc, timelock: Address): Promise<boolean> {
  return rpc.readContract({
    address: timelock,
    abi: timelockControllerAbi,
    functionName: 'hasRole',
    args: [timelockCallerRoles.EXECUTOR_ROLE, zeroAddress],
  });
}
