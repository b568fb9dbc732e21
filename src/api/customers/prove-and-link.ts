import { hashMessage } from 'viem';
import { findLinkRequest } from '../../ledger/orders/signature-queries.ts';
import { recoverSigner } from '../../chain/signatures/ecdsa.ts';
import { linkMessage } from '../../client/messages.ts';
import { type AddressLink, findLink, linkAddress, type NewLink } from '../../ledger/customers/addresses.ts';
import { requestSignature } from '../../ledger/orders/signature-requests.ts';
import type { ApiDependencies } from '../api.ts';
import { invalid } from '../http/errors.ts';
import { awaitVerdict } from '../../ledger/orders/await-verdict.ts';

const digest = hashMessage(linkMessage);

/** The reason that the ledger records when another profile linked the address first (src/ledger/customers/addresses.ts). */
const alreadyLinked = 'already linked';

/**
 * Links an address whose owner proves it: by a key's signature at once, by a contract's when the network's worker has verified it, also
 * of a contract that is not deployed yet (docs/api.md, Signatures). Returns `undefined` while the verdict is pending. Throws
 * `invalid_request`, `address_already_linked`.
 */
export async function proveAndLink(
  { ledger }: Pick<ApiDependencies, 'ledger'>,
  link: NewLink,
  signature: `0x${string}`,
  correlationId: string,
): Promise<AddressLink | undefined> {
  if (recoverSigner(digest, signature) === link.address) return linkAddress(ledger, link);
  // `0x` proves nothing by itself: it asks whether the account has signed on chain.
  const linked = signature === '0x' ? await findLink(ledger, link) : undefined;
  if (linked) return linked;

  const request =
    (await findLinkRequest(ledger, link, signature)) ??
    (await requestSignature(ledger, { kind: 'linkAddress', draft: link, digest, signature, correlationId }));
  if (request === undefined || signature === '0x') return undefined;
  const { state, reason } = await awaitVerdict(ledger, request);
  if (state === 'pending') return undefined;
  if (state === 'valid') return findLink(ledger, link);
  throw invalid(reason === alreadyLinked ? { address: alreadyLinked } : { signature: 'invalid signature' });
}
