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

/** How the ledger words that another profile was quicker (src/ledger/customers/addresses.ts). */
const alreadyLinked = 'already linked';

/**
 * Links an address whose owner proves it: by its key at once, by its contract when the network's worker says so, also one that is
 * not deployed yet (docs/api.md, Signatures). Answers nothing while that is open.
 */
export async function proveAndLink(
  { ledger }: Pick<ApiDependencies, 'ledger'>,
  link: NewLink,
  signature: `0x${string}`,
  correlationId: string,
): Promise<AddressLink | undefined> {
  if (recoverSigner(digest, signature) === link.address) return linkAddress(ledger, link);
  // `0x` proves nothing by itself: it asks how the proof on chain is coming along.
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
