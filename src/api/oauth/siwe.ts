import { setTimeout as delay } from 'node:timers/promises';
import { hashMessage } from 'viem';
import { isSignedByKey } from '../../chain/signatures/ecdsa.ts';
import { countSignInAttempt, forgetSignInAttempts } from '../../ledger/access/sign-in-attempts.ts';
import { type NewSignatureRequest, requestSignature } from '../../ledger/orders/signature-requests.ts';
import { type SiweError, authorizeByAddress, findLinkedOwner } from '../../ledger/access/siwe-authorization.ts';
import type { ApiDependencies } from '../api.ts';
import * as input from '../../wire/input-fields.ts';
import { awaitVerdict, verdictTimeoutMs } from '../../ledger/orders/await-verdict.ts';
import { type LowerAddress, lowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { RateLimited } from '../../platform/limits/rate-limiter.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { AuthorizationAnswer } from './client-redirect.ts';
import { type SiweStatement, readSiweMessage } from './siwe-message.ts';

const descriptions: Record<SiweError, string> = {
  not_linked: 'The address is not linked to a profile of a user: the user must sign in first',
  signed_on_chain:
    'The account has only approved the fixed sentence on chain, which any service may have asked for: the user must sign in and link it again by a linking message, as the page /account/address does',
  held_by_others:
    'Another profile has held the address: the user must sign in and link it again by a linking message, as the page /account/address does',
  consent_ended:
    'The user no longer lets the application act that linked the address, or somebody else may have linked it by stolen access: the user must sign in and link it again, as the page /account/address does',
  second_factor: 'The user has a second factor, which the pages of this service ask for: the user must sign in there',
  nonce_used: 'The nonce was used before',
};

/** Who sends a signed message: the correlation id of the request, and the network address it comes from. */
export interface SiweSender {
  correlationId: string;
  network: string;
}

/** Completes authorization at once for the user of a linked address (docs/api.md, Wallet sign-in; EIP-4361). */
export async function answerSiwe(
  deps: ApiDependencies,
  request: AuthorizationRequest,
  { correlationId, network }: SiweSender,
): Promise<AuthorizationAnswer> {
  const { message: sent, signature } = request.siwe ?? {};
  if (sent === undefined) return invalidRequest('message is required');
  // A browser's form sends each end of a line as CRLF, and EIP-4361 has LF only.
  const message = sent.replaceAll('\r\n', '\n');
  const hex = input.signature.safeParse(signature);
  if (!hex.success || hex.data === '0x') return invalidRequest('signature must be bytes in hexadecimal with the prefix 0x');

  const { client, redirectUri, codeChallenge } = request;
  const reading = readSiweMessage(message, { settings: deps.settings, client, redirectUri });
  if ('problem' in reading) return invalidRequest(`message ${reading.problem}`);
  const { statement } = reading;
  const { address, chain, nonce, expiresAt } = statement;
  const signed = { digest: hashMessage(message), signature: hex.data };
  const isByKey = isSignedByKey(lowerAddress(address), signed.digest, signed.signature);
  const failure = isByKey ? undefined : await askContract(deps, statement, { ...signed, correlationId, network });
  if (failure) return failure;

  const outcome = await authorizeByAddress(deps.ledger, {
    application: client.id,
    permissions: client.permissions,
    redirectUri,
    codeChallenge,
    address: lowerAddress(address),
    subject: address,
    ...(isByKey ? {} : { confirmedOn: chain }),
    nonce,
    expiresAt,
  });
  return typeof outcome === 'string' ? { error: 'access_denied', description: descriptions[outcome] } : outcome;
}

/** `undefined` when the address's contract recognises the signature (ERC-1271, ERC-6492) and no random bytes; otherwise the error. */
async function askContract(
  { ledger }: ApiDependencies,
  { address: shown, chain }: SiweStatement,
  { digest, signature, correlationId, network }: { digest: `0x${string}`; signature: `0x${string}` } & SiweSender,
): Promise<AuthorizationAnswer | undefined> {
  const address = lowerAddress(shown);
  const subjects = [
    { kind: 'account', name: `${address} ${network}` },
    { kind: 'source', name: network },
  ] as const;
  const waitSeconds = await countSignInAttempt(ledger, subjects);
  if (waitSeconds > 0) return { error: 'temporarily_unavailable', description: `Too many attempts: wait ${waitSeconds} seconds` };

  // Only an account that is linked is asked. Whether it is, and whether the link signs in, is for nobody to know who has not signed: every refusal
  // comes when the longest wait for a verdict ends, however long the ledger takes meanwhile.
  const refusal = delay(verdictTimeoutMs, false, { ref: false });
  const owner = await findLinkedOwner(ledger, address, chain);
  const confirmation = owner !== undefined && isConfirmedFor(ledger, { ...owner, address, chain }, { digest, signature, correlationId });
  const isConfirmed = (await Promise.race([confirmation, refusal])) || (await refusal);
  if (!isConfirmed) return notVerified;
  await forgetSignInAttempts(ledger, subjects);
  return undefined;
}

/** Whether the account that is linked confirms the signature in the time that a client can wait. It is not asked while too many sign-ins of the profile wait. */
async function isConfirmedFor(
  ledger: Ledger,
  link: { profile: string; user: string; address: LowerAddress; chain: Chain },
  signed: Pick<NewSignatureRequest, 'digest' | 'signature' | 'correlationId'>,
): Promise<boolean> {
  try {
    const id = await requestSignature(ledger, { kind: 'linkAddress', draft: { ...link, signsIn: true }, ...signed });
    return id !== undefined && (await awaitVerdict(ledger, id)).state === 'valid';
  } catch (error) {
    if (error instanceof RateLimited) return false;
    throw error;
  }
}

/** The same for every signature that is not known to be valid, so that it says nothing about the links of the address. */
const notVerified: AuthorizationAnswer = {
  error: 'access_denied',
  description:
    'The signature is not known to be of the address. That of a contract account counts when the account is linked on the chain of the message and has confirmed there these bytes alone: try again, or sign in otherwise and link it on the page /account/address',
};

function invalidRequest(description: string): AuthorizationAnswer {
  return { error: 'invalid_request', description };
}
