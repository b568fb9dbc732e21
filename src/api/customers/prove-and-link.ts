import { hashMessage } from 'viem';
import { isSignedByKey } from '../../chain/signatures/ecdsa.ts';
import { linkMessage } from '../../../client/messages.ts';
import { type AddressLink, findLink, linkAddress, type NewLink } from '../../ledger/customers/addresses.ts';
import { alreadyLinked, isWithinReach } from '../../ledger/customers/release-address.ts';
import { betterProof, type LinkProof, linkMessageUsed } from '../../ledger/customers/link-proof.ts';
import { addSources, type LinkSource } from '../../ledger/customers/link-source.ts';
import type { LedgerTransaction } from '../../ledger/ledger.ts';
import { awaitVerdict, invalidSignature } from '../../ledger/orders/await-verdict.ts';
import { isContestedLink } from '../../ledger/orders/contested-links.ts';
import { findLinkRequest } from '../../ledger/orders/signature-queries.ts';
import { requestSignature } from '../../ledger/orders/signature-requests.ts';
import type { ApiDependencies } from '../api.ts';
import { invalid } from '../http/errors.ts';
import { readLinkingMessage } from './linking-message.ts';

/** An address to be linked, and what its owner has signed for that. */
export interface ProvenLink extends Omit<NewLink, 'proof'> {
  /** The fixed sentence or a linking message. */
  message: string;
  signature: `0x${string}`;
}

/** Carries out what a link writes, in a transaction in which the access lasts by which the address is linked. Throws, and runs nothing, when it has ended. */
export type WithAccess = <T>(write: (tx: LedgerTransaction) => Promise<T>) => Promise<T>;

type Deps = Pick<ApiDependencies, 'ledger' | 'settings'> & { withAccess: WithAccess };

/** What waits for the verdict of an account, and whether other profiles wait for the same one. */
export interface WaitingLink {
  isContested: boolean;
}

/**
 * Links an address whose owner proves it: by a key's signature at once, by a contract's when the network's worker has verified it, also
 * of a contract that is not deployed yet (docs/api.md, Signatures). Throws `invalid_request`, `address_already_linked`, `message_already_used`,
 * `quota_exceeded`, `rate_limited`.
 */
export async function proveAndLink(deps: Deps, proven: ProvenLink, correlationId: string): Promise<AddressLink | WaitingLink> {
  const { profile, address, chain, user, message, signature, sources = [] } = proven;
  const digest = hashMessage(message);
  const isByKey = isSignedByKey(address, digest, signature);
  const proof = proofOf(deps, proven, isByKey);
  const link = { profile, address, chain, user, proof, sources };
  if (isByKey) return deps.withAccess((tx) => linkAddress(tx, link));
  return linkByContract(deps, link, { digest, signature, correlationId });
}

function proofOf({ settings }: Pick<Deps, 'settings'>, { message, ...binding }: ProvenLink, isByKey: boolean): LinkProof {
  const signer = isByKey ? 'key' : 'contract';
  if (message === linkMessage) return binding.signature === '0x' ? { kind: 'sentence on chain' } : { kind: 'sentence', signer };
  const reading = readLinkingMessage(message, { settings, ...binding });
  if ('problem' in reading) throw invalid({ message: reading.problem });
  return { kind: 'message', signer, ...reading };
}

/** `0x` proves nothing by itself: it asks whether the account has signed on chain, or will. */
async function linkByContract(
  { ledger, withAccess }: Pick<Deps, 'ledger' | 'withAccess'>,
  link: NewLink & { proof: LinkProof; sources: readonly LinkSource[] },
  signed: { digest: `0x${string}`; signature: `0x${string}`; correlationId: string },
): Promise<AddressLink | WaitingLink> {
  const { proof } = link;
  const isOnChain = signed.signature === '0x';
  const linked = isOnChain ? await findLink(ledger, link) : undefined;
  if (linked && betterProof(linked.proof, proof.kind) === linked.proof) {
    await withAccess((tx) => addSources(tx, link));
    return linked;
  }
  if (isOnChain && !(await isWithinReach(ledger, link))) throw alreadyLinked();
  const request = await withAccess(
    async (tx) =>
      (await findLinkRequest(tx, link, signed.digest, signed.signature)) ??
      (await requestSignature(tx, { kind: 'linkAddress', draft: link, ...signed })),
  );
  if (request === undefined) return { isContested: false };
  const { state, reason } = isOnChain ? { state: 'pending' as const, reason: null } : await awaitVerdict(ledger, request);
  if (state === 'pending') return { isContested: await isContestedLink(ledger, request) };
  if (state === 'valid') return (await findLink(ledger, link)) ?? { isContested: false };
  // What the ledger records when another profile linked the address first, or when another link used the nonce of the message.
  throw (
    [alreadyLinked(), linkMessageUsed()].find(({ fields = {} }) => Object.values(fields).includes(reason ?? '')) ?? invalidSignature(reason)
  );
}
