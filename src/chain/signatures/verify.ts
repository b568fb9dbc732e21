import { bytesToHex, type Hex, size } from 'viem';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import {
  type AccountAnswer,
  type AccountQuery,
  approvalQuery,
  deploymentQuery,
  queryAccounts,
  queryTogether,
  type Sender,
  type StateBlock,
} from './account-probe.ts';
import { askAsBurning } from './burning-call.ts';
import { recoverSigner } from './ecdsa.ts';
import { unwrapErc6492 } from './erc6492.ts';

/**
 * Whether a signature is that of an account. `unavailable` is an outage: ask again. `isForAnyBytes`: the contract has taken random bytes as well
 * ({@link SignatureCheck.randomBytes}), so whoever sent the signature need not have got anything from the account's owner.
 */
export type SignatureVerdict =
  | { kind: 'valid'; isForAnyBytes: boolean }
  | { kind: 'invalid'; reason: string }
  | { kind: 'unavailable'; reason: string };

/** A signature to be verified, and the account it is said to come from. */
export interface SignatureCheck {
  address: LowerAddress;
  /** The token that asks a contract account: for an order the one that it burns. */
  token: Hex;
  /** EIP-191 hash of the message. */
  digest: Hex;
  /** `0x` asks whether the account has signed on chain. */
  signature: Hex;
  /** The order whose redemption will ask the account again, on chain. */
  orderId?: string;
  /** Whether an account that is not deployed, or not ready, may use an ERC-6492 signature. */
  allowUndeployed: boolean;
  /**
   * Whether a contract is asked for random bytes too, of this message or of a random one. It takes them of this message when it has approved that on
   * chain, and of every message when it looks at nothing. Left out where the chain asks the contract again, as of an order.
   */
  randomBytes?: 'of this message' | 'of any message';
}

/**
 * Verifies signatures of accounts of any kind: by a key, by a contract (ERC-1271), or before it is deployed or ready by ERC-6492. Returns the verdicts in
 * the order of the checks. Whatever an account does when it is called (revert, use up its gas, return anything) makes the signature invalid; a
 * failure of the node makes the verdict unavailable. Accounts are asked as in a transaction of `sender`, who has to have money for it. Never throws.
 */
export async function verifySignatures(
  rpc: Rpc,
  sender: Sender,
  checks: readonly SignatureCheck[],
  block: StateBlock,
): Promise<SignatureVerdict[]> {
  const byKey = checks.map(({ address, digest, signature }) => recoverSigner(digest, signature) === address);
  const open = checks.filter((_, index) => !byKey[index]).map((check) => ({ check, queries: queriesOf(check) }));
  const queries = open.flatMap((check) => check.queries);
  const answers = await queryAccounts(rpc, sender, queries, block);
  const verdicts = await Promise.all(
    open.map((check) => verdictOf({ rpc, sender }, check, answers.splice(0, check.queries.length), block)),
  );
  const ofOpen = open.map(({ check }) => check);
  const next = (await confirmedByBurning({ rpc, sender, block }, ofOpen, verdicts)).values();
  return byKey.map((isValid) => (isValid ? { kind: 'valid', isForAnyBytes: false } : (next.next().value as SignatureVerdict)));
}

/** The same verdicts, with those on orders whose accounts have taken the signature as they stand when the redemption itself asks. */
async function confirmedByBurning(
  { rpc, sender, block }: { rpc: Rpc; sender: Sender; block: StateBlock },
  checks: readonly SignatureCheck[],
  verdicts: readonly SignatureVerdict[],
): Promise<SignatureVerdict[]> {
  const calls = checks.map(({ orderId, address: account, token, digest: messageHash, signature }, index) =>
    orderId !== undefined && verdicts[index]?.kind === 'valid' ? { orderId, account, token, messageHash, signature } : undefined,
  );
  const answers = await askAsBurning(
    rpc,
    sender,
    calls.filter((call) => call !== undefined),
    block,
  );
  const next = answers.values();
  return verdicts.map((verdict, index) => {
    const answer = calls[index] && next.next().value;
    if (answer === undefined || answer === 'yes') return verdict;
    return typeof answer === 'object' ? { kind: 'unavailable', reason: answer.outage } : { kind: 'invalid', reason: refusedByAccount };
  });
}

/** The reason of a signature that the contract at the address refused. */
export const refusedByAccount = 'the account does not recognise the signature';

interface OpenCheck {
  check: SignatureCheck;
  queries: AccountQuery[];
}

async function verdictOf(
  { rpc, sender }: { rpc: Rpc; sender: Sender },
  { check, queries }: OpenCheck,
  [answer, ofRandom]: AccountAnswer[],
  block: StateBlock,
): Promise<SignatureVerdict> {
  if (answer === 'yes') return validUnless(ofRandom);
  if (typeof answer === 'object') return { kind: 'unavailable', reason: answer.outage };
  const wrapped = check.allowUndeployed ? unwrapErc6492(check.signature) : undefined;
  if (!wrapped) return { kind: 'invalid', reason: answer === 'no' ? refusedByAccount : withoutContract(check) };
  // The call deploys the account, or makes one ready that is deployed already (ERC-6492, verifier side).
  const deployment = deploymentQuery(wrapped.factory, wrapped.deployment);
  const askAfter = async (query: AccountQuery) => (await queryTogether(rpc, sender, [deployment, query], block))[0];
  const [own, random] = queries as [AccountQuery, AccountQuery?];
  const after = await askAfter(own);
  if (after === 'yes') return validUnless(random && (await askAfter(random)));
  if (typeof after === 'object') return { kind: 'unavailable', reason: after.outage };
  const reason =
    after === 'no'
      ? `${refusedByAccount}, also after the call that comes with it`
      : 'the deployment in the signature puts no contract at the address';
  return { kind: 'invalid', reason };
}

/** The verdict on a signature that the contract has taken, by what it says of random bytes. */
function validUnless(ofRandom: AccountAnswer | undefined): SignatureVerdict {
  return typeof ofRandom === 'object'
    ? { kind: 'unavailable', reason: ofRandom.outage }
    : { kind: 'valid', isForAnyBytes: ofRandom === 'yes' };
}

function withoutContract({ signature, allowUndeployed }: SignatureCheck): string {
  const bytes = size(signature);
  const isKeySized = bytes === 65 || bytes === 64;
  const what = isKeySized ? 'the signature is not of the address' : `a key signs in 65 bytes, and the signature has ${bytes}`;
  const deploy = allowUndeployed ? '' : ': the account must be deployed before it can redeem';
  return `${what}, and there is no contract at the address${deploy}`;
}

/**
 * The calls that ask a contract account: for the signature, and for as many random bytes where that is to be asked. The signature of an order is
 * passed on as it is, as the token does, so that both come to the same verdict. The signature of a link may be wrapped.
 */
function queriesOf({ address, token, digest, signature, allowUndeployed, randomBytes }: SignatureCheck): AccountQuery[] {
  const own = (allowUndeployed && unwrapErc6492(signature)?.signature) || signature;
  const ask = (hash: Hex, bytes: Hex) => approvalQuery(token, address, hash, bytes);
  if (randomBytes === undefined) return [ask(digest, own)];
  return [ask(digest, own), ask(randomBytes === 'of this message' ? digest : randomHex(32), randomHex(size(own)))];
}

function randomHex(bytes: number): Hex {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(bytes)));
}
