import { encodeFunctionData, type Hex, parseAbi, size } from 'viem';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Rpc } from '../rpc.ts';
import {
  type AccountAnswer,
  type AccountQuery,
  callQuery,
  deploymentQuery,
  queryAccounts,
  queryTogether,
  type StateBlock,
} from './account-probe.ts';
import { recoverSigner } from './ecdsa.ts';
import { unwrapErc6492 } from './erc6492.ts';

/** Whether a signature is that of an account. `unavailable` is an outage: ask again. */
export type SignatureVerdict = { kind: 'valid' } | { kind: 'invalid'; reason: string } | { kind: 'unavailable'; reason: string };

/** A signature to be verified, and the account it is said to come from. */
export interface SignatureCheck {
  address: LowerAddress;
  /** EIP-191 hash of the message. */
  digest: Hex;
  /** `0x` asks whether the account has signed on chain. */
  signature: Hex;
  /** Whether an account that is not deployed, or not ready, may use an ERC-6492 signature. */
  allowUndeployed: boolean;
}

/**
 * Verifies signatures of accounts of any kind: by a key, by a contract (ERC-1271), or before it is deployed or ready by ERC-6492. Returns the verdicts in
 * the order of the checks. Whatever an account does when it is called (revert, use up its gas, return anything) makes the signature invalid; a
 * failure of the node makes the verdict unavailable. Never throws.
 */
export async function verifySignatures(rpc: Rpc, checks: readonly SignatureCheck[], block: StateBlock): Promise<SignatureVerdict[]> {
  const byKey = checks.map(({ address, digest, signature }) => recoverSigner(digest, signature) === address);
  const open = checks.filter((_, index) => !byKey[index]);
  const answers = await queryAccounts(rpc, open.map(signatureQuery), block);
  const verdicts = await Promise.all(open.map((check, index) => verdictOf(rpc, check, answers[index] as AccountAnswer, block)));
  const next = verdicts.values();
  return byKey.map((isValid) => (isValid ? { kind: 'valid' } : (next.next().value as SignatureVerdict)));
}

/** The reason of a signature that the contract at the address refused. */
export const refusedByAccount = 'the account does not recognise the signature';

async function verdictOf(rpc: Rpc, check: SignatureCheck, answer: AccountAnswer, block: StateBlock): Promise<SignatureVerdict> {
  if (answer === 'yes') return { kind: 'valid' };
  if (typeof answer === 'object') return { kind: 'unavailable', reason: answer.outage };
  const wrapped = check.allowUndeployed ? unwrapErc6492(check.signature) : undefined;
  if (!wrapped) return { kind: 'invalid', reason: answer === 'no' ? refusedByAccount : withoutContract(check) };
  // The call deploys the account, or makes one ready that is deployed already (ERC-6492, verifier side).
  const queries = [deploymentQuery(wrapped.factory, wrapped.deployment), signatureQuery(check)];
  const [after] = await queryTogether(rpc, queries, block);
  if (after === 'yes') return { kind: 'valid' };
  if (typeof after === 'object') return { kind: 'unavailable', reason: after.outage };
  const reason =
    after === 'no'
      ? `${refusedByAccount}, also after the call that comes with it`
      : 'the deployment in the signature puts no contract at the address';
  return { kind: 'invalid', reason };
}

function withoutContract({ signature, allowUndeployed }: SignatureCheck): string {
  const bytes = size(signature);
  const isKeySized = bytes === 65 || bytes === 64;
  const what = isKeySized ? 'the signature is not of the address' : `a key signs in 65 bytes, and the signature has ${bytes}`;
  const deploy = allowUndeployed ? '' : ': the account must be deployed before it can redeem';
  return `${what}, and there is no contract at the address${deploy}`;
}

const erc1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);

/**
 * The call that asks a contract account. The signature of an order is passed on as it is, as the token does, so that both come to the same
 * verdict. The signature of a link may be wrapped.
 */
function signatureQuery({ address, digest, signature, allowUndeployed }: SignatureCheck): AccountQuery {
  const own = (allowUndeployed && unwrapErc6492(signature)?.signature) || signature;
  return callQuery(address, encodeFunctionData({ abi: erc1271, functionName: 'isValidSignature', args: [digest, own] }));
}
