import { bytesToHex, type Hex, size } from 'viem';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import {
  type AccountAnswer,
  type AccountQuery,
  approvalQuery,
  deploymentQuery,
  outageOf,
  queryAccounts,
  queryTogether,
  readTerms,
  type Senders,
  type StateBlock,
  type Terms,
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
 * failure of the node makes the verdict unavailable. An account is asked as in a transaction of each sender that has the money for it, since any may send
 * what it signs, and has to confirm to all. Never throws.
 */
export async function verifySignatures(
  rpc: Rpc,
  senders: Senders,
  checks: readonly SignatureCheck[],
  block: StateBlock,
): Promise<SignatureVerdict[]> {
  const byKey = checks.map(({ address, digest, signature }) => recoverSigner(digest, signature) === address);
  const ofContracts = checks.filter((_, index) => !byKey[index]);
  const next = (await verifyContracts(rpc, senders, ofContracts, block)).values();
  return byKey.map((isValid) => (isValid ? { kind: 'valid', isForAnyBytes: false } : (next.next().value as SignatureVerdict)));
}

/** The verdicts of contract accounts. The first sender decides what the others are asked: most false signatures are refused at once. */
async function verifyContracts(
  rpc: Rpc,
  senders: Senders,
  checks: readonly SignatureCheck[],
  block: StateBlock,
): Promise<SignatureVerdict[]> {
  if (checks.length === 0) return [];
  try {
    const [first, ...others] = (await readTerms(rpc, senders, block)).map((terms) => ({ rpc, terms, block }));
    const verdicts = await verifyAs(first as Asking, checks);
    const believed = [...checks.keys()].filter((index) => verdicts[index]?.kind === 'valid');
    const again = believed.map((index) => checks[index] as SignatureCheck);
    const ofOthers = await Promise.all(others.map((asking) => verifyAs(asking, again)));
    for (const [position, index] of believed.entries())
      verdicts[index] = strictest([verdicts[index], ...ofOthers.map((of) => of[position])] as SignatureVerdict[]);
    return verdicts;
  } catch (error) {
    return checks.map(() => ({ kind: 'unavailable', reason: outageOf(error) }));
  }
}

/** Of verdicts on one signature: a refusal before an outage, and an outage before a confirmation. */
function strictest(verdicts: readonly SignatureVerdict[]): SignatureVerdict {
  const isForAnyBytes = verdicts.some((verdict) => verdict.kind === 'valid' && verdict.isForAnyBytes);
  return (
    verdicts.find(({ kind }) => kind === 'invalid') ??
    verdicts.find(({ kind }) => kind === 'unavailable') ?? { kind: 'valid', isForAnyBytes }
  );
}

/** As whom accounts are asked, and at which block. */
interface Asking {
  rpc: Rpc;
  terms: Terms;
  block: StateBlock;
}

async function verifyAs(asking: Asking, checks: readonly SignatureCheck[]): Promise<SignatureVerdict[]> {
  const open = checks.map((check) => ({ check, queries: queriesOf(check) }));
  const queries = open.flatMap((check) => check.queries);
  const answers = await queryAccounts(asking.rpc, asking.terms, queries, asking.block);
  const verdicts = await Promise.all(open.map((check) => verdictOf(asking, check, answers.splice(0, check.queries.length))));
  return confirmedByBurning(asking, checks, verdicts);
}

/** The same verdicts, with those on orders whose accounts have taken the signature as they stand when the redemption itself asks. */
async function confirmedByBurning(
  { rpc, terms, block }: Asking,
  checks: readonly SignatureCheck[],
  verdicts: readonly SignatureVerdict[],
): Promise<SignatureVerdict[]> {
  const calls = checks.map(({ orderId, address: account, token, digest: messageHash, signature }, index) =>
    orderId !== undefined && verdicts[index]?.kind === 'valid' ? { orderId, account, token, messageHash, signature } : undefined,
  );
  const answers = await askAsBurning(
    rpc,
    terms,
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
  { rpc, terms, block }: Asking,
  { check, queries }: OpenCheck,
  [answer, ofRandom]: AccountAnswer[],
): Promise<SignatureVerdict> {
  if (answer === 'yes') return validUnless(ofRandom);
  if (typeof answer === 'object') return { kind: 'unavailable', reason: answer.outage };
  const wrapped = check.allowUndeployed ? unwrapErc6492(check.signature) : undefined;
  if (!wrapped) return { kind: 'invalid', reason: answer === 'no' ? refusedByAccount : withoutContract(check) };
  // The call deploys the account, or makes one ready that is deployed already (ERC-6492, verifier side).
  const deployment = deploymentQuery(wrapped.factory, wrapped.deployment);
  const askAfter = async (query: AccountQuery) => (await queryTogether(rpc, terms, [deployment, query], block))[0];
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
