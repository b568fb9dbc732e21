import { hashMessage } from 'viem';
import { recoverSigner } from '../../chain/signatures/ecdsa.ts';
import { linkMessage } from '../../client/messages.ts';
import { type AddressLink, findLink, linkAddress, type NewLink } from '../../ledger/customers/addresses.ts';
import { awaitSigningTime, awaitVerdict } from '../../ledger/orders/await-verdict.ts';
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

type Deps = Pick<ApiDependencies, 'ledger' | 'settings'>;

/** The reason that the ledger records when another profile linked the address first (src/ledger/customers/release-address.ts). */
const alreadyLinked = 'already linked';

/** Its reason when the nonce of the message was used for another link (src/ledger/customers/link-proof.ts). */
const alreadyUsed = 'already used';

/**
 * Links an address whose owner proves it: by a key's signature at once, by a contract's when the network's worker has verified it, also
 * of a contract that is not deployed yet (docs/api.md, Signatures). Returns `undefined` while the verdict is pending. Throws
 * `invalid_request`, `address_already_linked`, `message_already_used`, `quota_exceeded`, `rate_limited`.
 */
export async function proveAndLink(deps: Deps, proven: ProvenLink, correlationId: string): Promise<AddressLink | undefined> {
  const { profile, address, chain, user, message, signature, source } = proven;
  const digest = hashMessage(message);
  const isByKey = recoverSigner(digest, signature) === address;
  const proof = proofOf(deps, proven, isByKey);
  const link: NewLink = { profile, address, chain, user, proof, ...(source === undefined ? {} : { source }) };
  if (isByKey) return linkAddress(deps.ledger, link);
  return signature === '0x'
    ? linkByChain(deps, link, digest, correlationId)
    : linkByContract(deps, link, { digest, signature, correlationId });
}

function proofOf({ settings }: Deps, { message, ...binding }: ProvenLink, isByKey: boolean): NonNullable<NewLink['proof']> {
  if (message === linkMessage) return { kind: 'sentence' };
  const reading = readLinkingMessage(message, { settings, ...binding });
  if ('problem' in reading) throw invalid({ message: reading.problem });
  return { kind: 'message', signer: isByKey ? 'key' : 'contract', ...reading };
}

/** `0x` proves nothing by itself: it asks whether the account signs on chain. */
async function linkByChain(
  { ledger, settings }: Deps,
  link: NewLink,
  digest: `0x${string}`,
  correlationId: string,
): Promise<AddressLink | undefined> {
  const isSentence = link.proof?.kind === 'sentence';
  const linked = await findLink(ledger, link);
  if (linked && (isSentence || linked.proof === 'message')) return linked;
  const signedAfter = new Date(Date.now() - settings.linkSignatureMaxAgeSeconds * 1_000);
  const request =
    (await findLinkRequest(ledger, link, digest, '0x')) ??
    (await requestSignature(ledger, {
      kind: 'linkAddress',
      draft: link,
      digest,
      signature: '0x',
      correlationId,
      ...(isSentence ? { signedAfter } : {}),
    }));
  // Whether the account has signed before is known at once, whether it will is not.
  if (request === undefined || !isSentence) return undefined;
  const { state } = await awaitSigningTime(ledger, request);
  if (state === 'invalid') throw invalid({ signature: signedBefore });
  return undefined;
}

const signedBefore =
  'the account signed this sentence on chain too long before this request: have it sign a linking message, which names the service and the profile, and send that as the message';

async function linkByContract(
  { ledger }: Deps,
  link: NewLink,
  signed: { digest: `0x${string}`; signature: `0x${string}`; correlationId: string },
): Promise<AddressLink | undefined> {
  const request =
    (await findLinkRequest(ledger, link, signed.digest, signed.signature)) ??
    (await requestSignature(ledger, { kind: 'linkAddress', draft: link, ...signed }));
  if (request === undefined) return undefined;
  const { state, reason } = await awaitVerdict(ledger, request);
  if (state === 'pending') return undefined;
  if (state === 'valid') return findLink(ledger, link);
  if (reason === alreadyLinked) throw invalid({ address: alreadyLinked });
  throw invalid(reason === alreadyUsed ? { message: alreadyUsed } : { signature: 'invalid signature' });
}
