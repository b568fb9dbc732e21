import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { type Authorization, issueCode } from './authorization-codes.ts';
import { clearExpired } from './expired-rows.ts';
import { inTransaction, type Ledger, type LedgerTransaction } from '../ledger.ts';

/** A signed message whose every line was checked (EIP-4361). */
export interface SiweSignIn extends Omit<Authorization, 'user' | 'method' | 'subject'> {
  address: LowerAddress;
  /** The address with its EIP-55 checksum. */
  subject: string;
  nonce: string;
  expiresAt: Date;
}

/** Why a signed message gives no code. */
export type SiweError = 'not_linked' | 'not_proven' | 'nonce_used';

/**
 * Issues a code for the user to whose profile the address is linked, and uses up the nonce (docs/api.md, Wallet sign-in). A link that rests on
 * the fixed sentence signs nobody in: its signature may come from a stranger, as whose user the owner of the address would be signed in.
 */
export async function authorizeByAddress(ledger: Ledger, signIn: SiweSignIn): Promise<{ code: string } | SiweError> {
  return inTransaction(ledger, async (tx) => {
    const linked = await tx
      .selectFrom('addresses as a')
      .innerJoin('profiles as p', 'p.id', 'a.profile')
      .where('a.address', '=', signIn.address)
      .innerJoin('addressLinks as l', 'l.address', 'a.address')
      .select(['p.owner', 'l.proof'])
      .orderBy('l.proof')
      .executeTakeFirst();
    if (!linked || linked.owner === null) return 'not_linked';
    if (linked.proof !== 'message') return 'not_proven';
    if (!(await takeNonce(tx, signIn))) return 'nonce_used';
    return { code: await issueCode(tx, { ...signIn, user: linked.owner, method: 'resource' }) };
  });
}

/** The profile to which an address is linked on a chain, the user who owns it, and what the link rests on; `undefined` without a link or an owner. */
export async function findLinkedOwner(
  ledger: Ledger,
  address: LowerAddress,
  chain: Chain,
): Promise<{ profile: string; user: string; proof: 'sentence' | 'message' } | undefined> {
  return ledger
    .selectFrom('addressLinks as l')
    .innerJoin('addresses as a', 'a.address', 'l.address')
    .innerJoin('profiles as p', 'p.id', 'a.profile')
    .where('l.address', '=', address)
    .where('l.chain', '=', chain)
    .where('p.owner', 'is not', null)
    .select(['p.id as profile', 'p.owner as user', 'l.proof'])
    .$narrowType<{ user: string }>()
    .executeTakeFirst();
}

async function takeNonce(tx: LedgerTransaction, { address, nonce, expiresAt }: SiweSignIn): Promise<boolean> {
  const taken = await tx
    .insertInto('siweNonces')
    .values({ address, nonce, expiresAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('nonce')
    .executeTakeFirst();
  await clearExpired(tx, 'siweNonces');
  return taken !== undefined;
}
