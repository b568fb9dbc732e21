import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { type Authorization, issueCode } from './authorization-codes.ts';
import { sql } from 'kysely';
import { clearExpired } from './expired-rows.ts';
import { findSecondFactors, isDue } from './factors/second-factors.ts';
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
export type SiweError = 'not_linked' | 'not_proven' | 'linked_elsewhere' | 'second_factor' | 'nonce_used';

/**
 * Issues a code for the user to whose profile the address is linked, and uses up the nonce (docs/api.md, Wallet sign-in). A link that rests on
 * the fixed sentence signs nobody in: its signature may come from a stranger, as whose user the owner of the address would be signed in. Nor
 * does one that another application made: whoever stole its token may have made it. A user with a second factor enters it on the hosted pages.
 */
export async function authorizeByAddress(ledger: Ledger, signIn: SiweSignIn): Promise<{ code: string } | SiweError> {
  return inTransaction(ledger, async (tx) => {
    const linked = await selectOwners(tx, signIn.address, signIn.application)
      .orderBy('signsIn', 'desc')
      .orderBy('l.proof')
      .executeTakeFirst();
    if (!linked) return 'not_linked';
    if (linked.proof !== 'message') return 'not_proven';
    if (!linked.signsIn) return 'linked_elsewhere';
    if (isDue(await findSecondFactors(tx, linked.user))) return 'second_factor';
    if (!(await takeNonce(tx, signIn))) return 'nonce_used';
    return { code: await issueCode(tx, { ...signIn, user: linked.user, method: 'resource' }) };
  });
}

/** The profile of an address whose link on a chain signs its user in at an application, and that user; `undefined` without such a link. */
export async function findLinkedOwner(
  ledger: Ledger,
  address: LowerAddress,
  { chain, application }: { chain: Chain; application: string },
): Promise<{ profile: string; user: string } | undefined> {
  const linked = await selectOwners(ledger, address, application).where('l.chain', '=', chain).executeTakeFirst();
  return linked?.signsIn === true ? { profile: linked.profile, user: linked.user } : undefined;
}

/** The users to whom an address is linked, and whether each link signs them in at an application. */
function selectOwners(ledger: Ledger, address: LowerAddress, application: string) {
  return ledger
    .selectFrom('addressLinks as l')
    .innerJoin('addresses as a', 'a.address', 'l.address')
    .innerJoin('profiles as p', 'p.id', 'a.profile')
    .where('l.address', '=', address)
    .where('p.owner', 'is not', null)
    .select([
      'p.id as profile',
      'p.owner as user',
      'l.proof',
      // A private application has no user but its owner, who keeps its secret.
      sql<boolean>`l.proof = 'message' and (l.on_hosted_pages or ${application} = any(l.linked_through) or exists (
        select from applications o
        where o.id = any(l.linked_through) and o.kind = 'private' and o.owner = p.owner and o.disabled_at is null))`.as('signsIn'),
    ])
    .$narrowType<{ user: string }>();
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
