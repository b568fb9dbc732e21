import {
  decodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  numberToHex,
  parseAbi,
} from 'viem';
import { messageOf } from '../platform/errors.ts';
import { executionFailure, type Rpc } from './rpc.ts';
import { recoverSigner } from './signature.ts';

/** What an account says of a signature. `unavailable` is no answer: ask again. */
export type Verdict = { kind: 'valid' } | { kind: 'invalid'; reason: string } | { kind: 'unavailable'; reason: string };

/** A block, as viem's actions take it. */
type BlockOf = { blockNumber: bigint } | { blockTag: 'latest' | 'safe' | 'finalized' };

const newest: BlockOf = { blockTag: 'latest' };

export interface SignatureCheck {
  address: Hex;
  /** EIP-191 hash of the message. */
  digest: Hex;
  /** `0x` asks whether the account has signed on chain. */
  signature: Hex;
  /** The state that is asked; the newest by default. */
  block?: BlockOf;
  /** Whether an account that is not deployed yet may prove itself by an ERC-6492 signature. */
  allowUndeployed: boolean;
}

const erc1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);

/** What `isValidSignature` returns for a valid signature, in a full word (ERC-1271). */
const magicWord = `0x1626ba7e${'00'.repeat(28)}`;

/** The end of a signature that carries the deployment of its account (ERC-6492). */
const erc6492Suffix = '6492'.repeat(16);

/** Gas for the account's own code: what the token contract gives it (`signatureGas`), so that both come to one verdict. */
const signatureGas = 500_000n;

/** Asks an account of any kind whether a signature is its own: by its key, by its contract (ERC-1271), or, before it is deployed, by ERC-6492. */
export async function verifySignature(rpc: Rpc, check: SignatureCheck): Promise<Verdict> {
  const { address, digest, signature, block = newest } = check;
  if (recoverSigner(digest, signature) === address) return { kind: 'valid' };
  try {
    const isWrapped = signature.endsWith(erc6492Suffix);
    if (await hasCode(rpc, address, block)) return await askAccount(rpc, check, isWrapped ? unwrap(signature) : signature);
    if (!isWrapped) return { kind: 'invalid', reason: 'the signature is not of the address, and there is no contract at it' };
    if (!check.allowUndeployed) return { kind: 'invalid', reason: 'the account must be deployed before it can redeem' };
    return await askUndeployed(rpc, check);
  } catch (error) {
    const failure = executionFailure(error);
    return failure === undefined
      ? { kind: 'unavailable', reason: messageOf(error) }
      : { kind: 'invalid', reason: `the account answers: ${failure}` };
  }
}

async function hasCode(rpc: Rpc, address: Hex, block: BlockOf): Promise<boolean> {
  const tag = 'blockTag' in block ? block.blockTag : numberToHex(block.blockNumber);
  // Asked in the raw, because a node that is out of order answers null, and viem calls that no code.
  const code: Hex | null = await rpc.request({ method: 'eth_getCode', params: [address, tag] });
  if (typeof code !== 'string') throw new Error('the node answered eth_getCode with nothing');
  return code !== '0x';
}

async function askAccount(rpc: Rpc, { address, digest, block = newest }: SignatureCheck, signature: Hex): Promise<Verdict> {
  const data = encodeFunctionData({ abi: erc1271, functionName: 'isValidSignature', args: [digest, signature] });
  const { data: answer = '0x' } = await rpc.call({ to: address, data, gas: signatureGas, ...block });
  return answer.slice(0, 66) === magicWord
    ? { kind: 'valid' }
    : { kind: 'invalid', reason: 'the account does not recognise the signature' };
}

/** Deploys the account inside the call, and asks it there. */
async function askUndeployed(rpc: Rpc, { address, digest, signature, block = newest }: SignatureCheck): Promise<Verdict> {
  const data = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    args: [address, digest, signature],
    bytecode: erc6492SignatureValidatorByteCode,
  });
  const { data: answer = '0x' } = await rpc.call({ data, ...block });
  return BigInt(answer === '0x' ? 0 : answer) === 1n
    ? { kind: 'valid' }
    : { kind: 'invalid', reason: 'the account, once deployed, does not recognise the signature' };
}

function unwrap(signature: Hex): Hex {
  const [, , inner] = decodeAbiParameters([{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }], signature.slice(0, -64) as Hex);
  return inner;
}
