import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { type Authorization, issueCode } from './authorization-codes.ts';
import { sql } from 'kysely';
import { isTrusted, keepLinks } from './grants.ts';
import { takeNonce } from './message-nonces.ts';
import { findSecondFactors, isDue } from './factors/second-factors.ts';
import { userSubject } from './subject.ts';
import { lockUser } from './users.ts';
import { inTransaction, type Ledger } from '../ledger.ts';

/** A signed message whose every line was checked (EIP-4361). */
export interface SiweSignIn extends Omit<Authorization, 'user' | 'proof'> {
  address: LowerAddress;
  /** The address with its EIP-55 checksum. */
  subject: string;
  /** The chain whose contract has confirmed the signature: its link alone counts. Left out for a key, which is the same on every chain. */
  confirmedOn?: Chain;
  nonce: string;
  expiresAt: Date;
}

/** Why a signed message gives no code. */
export type SiweError = 'not_linked' | LinkProblem | 'second_factor' | 'nonce_used';

/** Why a link signs nobody in. */
type LinkProblem = 'signed_on_chain' | 'held_by_others' | 'consent_ended';

/**
 * Issues a code for the user to whose profile the address is linked, and uses up the nonce (docs/api.md, Wallet sign-in). The message names the
 * application, so it does not matter which one linked the address. A user with a second factor enters it on the hosted pages.
 */
export async function authorizeByAddress(ledger: Ledger, signIn: SiweSignIn): Promise<{ code: string } | SiweError> {
  return inTransaction(ledger, async (tx) => {
    const { confirmedOn, subject, ...authorization } = signIn;
    const [known] = await readLinks(tx, signIn.address);
    if (!known) return 'not_linked';
    // So that the code is not missed by whoever ends the sign-ins by the wallet at this moment.
    await lockUser(tx, known.user);
    await keepLinks(tx, signIn.address);
    const links = (await readLinks(tx, signIn.address)).filter(({ chain }) => confirmedOn === undefined || chain === confirmedOn);
    const linked = links.find((link) => problemOf(link) === undefined) ?? links[0];
    if (!linked) return 'not_linked';
    const problem = problemOf(linked);
    if (problem !== undefined) return problem;
    if (isDue(await findSecondFactors(tx, userSubject(linked.user)))) return 'second_factor';
    const { address, nonce, expiresAt } = signIn;
    if (!(await takeNonce(tx, { address, purpose: 'sign-in', nonce, expiresAt }))) return 'nonce_used';
    return {
      code: await issueCode(tx, { ...authorization, user: linked.user, proof: { method: 'resource', subject, chain: confirmedOn } }),
    };
  });
}

/** The profile of an address that is linked on a chain, and the user whose profile it is; `undefined` without both. */
export async function findLinkedOwner(
  ledger: Ledger,
  address: LowerAddress,
  chain: Chain,
): Promise<{ profile: string; user: string } | undefined> {
  const links = await readLinks(ledger, address);
  return links.find((link) => link.chain === chain);
}

/**
 * A link by the fixed sentence signs in, unless another profile has held the address: one of the two may be a stranger's, as whose user the owner
 * would be signed in. A linking message of the owner settles that. An approval of the sentence on chain signs nobody in: it may be meant for another service.
 * What was linked through grants signs in while one of them is trusted ({@link isTrusted}).
 */
function problemOf({ proof, wasHeldByOthers, isTrusted }: Link): LinkProblem | undefined {
  if (proof === 'sentence on chain') return 'signed_on_chain';
  if (proof !== 'message' && wasHeldByOthers) return 'held_by_others';
  return isTrusted ? undefined : 'consent_ended';
}

type Link = Awaited<ReturnType<typeof readLinks>>[number];

/** The links of an address to profiles of users: at most one for each chain. */
async function readLinks(ledger: Ledger, address: LowerAddress) {
  return ledger
    .selectFrom('addressLinks as l')
    .innerJoin('addresses as a', 'a.address', 'l.address')
    .innerJoin('profiles as p', 'p.id', 'a.profile')
    .where('l.address', '=', address)
    .where('p.owner', 'is not', null)
    .orderBy('l.linkedAt')
    .select([
      'l.chain',
      'p.id as profile',
      'p.owner as user',
      'l.proof',
      sql<boolean>`exists (select from released_addresses r where r.address = l.address and r.profile <> p.id)`.as('wasHeldByOthers'),
      isTrusted.as('isTrusted'),
    ])
    .$narrowType<{ user: string }>()
    .execute();
}
