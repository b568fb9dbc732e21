import { type Address, getAddress, type Hex, isAddressEqual, parseAbi } from 'viem';
import { StopError } from '../../platform/errors.ts';
import { hasCode } from '../contract.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { readSafe, type SafeAccount } from '../safe-account.ts';
import { roleCandidates } from '../token/state.ts';
import { readTimelockDelay } from './timelock.ts';

/** An account that can act for the signers at hand: it signs itself, is a Safe of theirs, or is a timelock, which is called by another. */
export type ActingAccount =
  | { kind: 'key'; address: Address }
  | { kind: 'safe'; address: Address; safe: SafeAccount }
  | { kind: 'timelock'; address: Address; delay: bigint };

/** A role of a contract with OpenZeppelin's AccessControl. */
export interface RoleSearch {
  /** The token, or its timelock. */
  contract: Address;
  role: Hex;
  /** Name of the role and of the contract, for messages. */
  name: string;
  /** The block from which on the grants of roles are read. */
  fromBlock: bigint;
  /** Accounts that probably hold the role. They are looked at first, because reading the grants of a contract takes long. */
  likely: readonly Address[];
}

const accessControlAbi = parseAbi(['function hasRole(bytes32 role, address account) view returns (bool)']);

/**
 * Finds the account with a role that acts for the signers: a signer itself, a Safe that one of them owns, or a timelock. Without signers any Safe
 * or timelock will do. Throws `not_possible`, which says who holds the role, and what `scanLogs` throws.
 */
export async function findActingAccount(rpc: Rpc, search: RoleSearch, signers: readonly Address[]): Promise<ActingAccount> {
  const others: string[] = [];
  for await (const holder of holdersOf(rpc, search, signers)) {
    if (signers.some((signer) => isAddressEqual(signer, holder))) return { kind: 'key', address: getAddress(holder) };
    const account = await classify(rpc, holder);
    if (account?.kind === 'timelock') return account;
    if (account?.kind === 'safe' && actsFor(account.safe, signers)) return account;
    others.push(
      account
        ? `${holder}, a Safe of which ${account.safe.threshold} of these owners must sign: ${account.safe.owners.join(', ')}`
        : `${holder}, which signs by itself`,
    );
  }
  const held = others.length === 0 ? 'nobody holds it' : others.join('; ');
  const who = signers.length === 0 ? 'No Safe holds' : `${signers.join(' and ')} cannot use`;
  throw new StopError({ code: 'not_possible', message: `${who} ${search.name}. It is needed, and held by: ${held}` });
}

/** Whether one of the signers owns the Safe; without signers any Safe will do. */
function actsFor({ owners }: SafeAccount, signers: readonly Address[]): boolean {
  return signers.length === 0 || owners.some((owner) => signers.some((signer) => isAddressEqual(signer, owner)));
}

/** The holders of the role, each once, those that are quickly found first. */
async function* holdersOf(
  rpc: Rpc,
  { contract, role, fromBlock, likely }: RoleSearch,
  signers: readonly Address[],
): AsyncGenerator<Address> {
  const seen = new Set<string>();
  async function* holdersAmong(accounts: readonly Address[]): AsyncGenerator<Address> {
    for (const account of accounts) {
      if (seen.has(account.toLowerCase())) continue;
      seen.add(account.toLowerCase());
      if (await rpc.readContract({ address: contract, abi: accessControlAbi, functionName: 'hasRole', args: [role, account] }))
        yield account;
    }
  }
  yield* holdersAmong([...signers, ...likely]);
  yield* holdersAmong(await roleCandidates(rpc, contract, fromBlock));
}

async function classify(rpc: Rpc, address: Address): Promise<Exclude<ActingAccount, { kind: 'key' }> | undefined> {
  if (!(await hasCode(rpc, address))) return undefined;
  const safe = await readSafe(rpc, address);
  if (safe) return { kind: 'safe', address, safe };
  const delay = await readTimelockDelay(rpc, address);
  return delay === undefined ? undefined : { kind: 'timelock', address, delay };
}
