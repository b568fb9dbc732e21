import {
  BaseError,
  concat,
  decodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  keccak256,
  numberToHex,
  parseAbi,
  size,
  slice,
} from 'viem';
import { messageOf } from '../../platform/errors.ts';
import type { Rpc } from '../rpc.ts';
import { isErc6492, recoverSigner } from './ecdsa.ts';

/** What an account says of a signature. `unavailable` is no answer: ask again. */
export type Verdict = { kind: 'valid' } | { kind: 'invalid'; reason: string } | { kind: 'unavailable'; reason: string };

/** The block whose state is asked. Never `pending`: what is signed there may never be mined. */
export type AskedBlock = bigint | 'latest' | 'safe' | 'finalized';

export interface SignatureCheck {
  /** Lower case. */
  address: Hex;
  /** EIP-191 hash of the message. */
  digest: Hex;
  /** `0x` asks whether the account has signed on chain. */
  signature: Hex;
  /** Whether an account that is not deployed yet may prove itself by an ERC-6492 signature. */
  allowUndeployed: boolean;
}

/**
 * Asks accounts of any kind whether signatures are their own: by their key, by their contract (ERC-1271), or, before it is deployed, by
 * ERC-6492. Answers in the order of the checks. What an account does when asked (fail, burn its gas, return anything) is an answer;
 * what a node does is none.
 */
export async function verifySignatures(rpc: Rpc, checks: readonly SignatureCheck[], block: AskedBlock): Promise<Verdict[]> {
  const verdicts = checks.map(({ address, digest, signature }): Verdict | undefined =>
    recoverSigner(digest, signature) === address ? { kind: 'valid' } : undefined,
  );
  const open = checks.filter((_, index) => verdicts[index] === undefined);
  const answers = await askAll(rpc, open.map(question), block);
  const asked = await Promise.all(open.map((check, index) => verdictOf(rpc, check, answers[index] as Answer, block)));
  const next = asked.values();
  return verdicts.map((verdict) => verdict ?? (next.next().value as Verdict));
}

/** What the probe reports of an account; a text says why there is no report. */
type Answer = 'no contract' | 'no' | 'yes' | { missing: string };

async function verdictOf(rpc: Rpc, check: SignatureCheck, answer: Answer, block: AskedBlock): Promise<Verdict> {
  if (answer === 'yes') return { kind: 'valid' };
  if (answer === 'no') return { kind: 'invalid', reason: 'the account does not recognise the signature' };
  if (answer !== 'no contract') return { kind: 'unavailable', reason: answer.missing };
  const wrapped = unwrap(check.signature);
  if (!wrapped) return { kind: 'invalid', reason: 'the signature is not of the address, and there is no contract at it' };
  if (!check.allowUndeployed) return { kind: 'invalid', reason: 'the account must be deployed before it can redeem' };
  const deployment = probeItem(wrapped.factory, wrapped.deployment, true);
  const [deployed] = await askTogether(rpc, [concat([deployment, question(check)])], block);
  if (deployed !== 'no contract') return verdictOf(rpc, check, deployed as Answer, block);
  return { kind: 'invalid', reason: 'the deployment in the signature puts no contract at the address' };
}

const erc1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)']);

/** The token is given an order's signature as it is; so is the account, that both come to one verdict. A link may come in a wrapper. */
function question({ address, digest, signature, allowUndeployed }: SignatureCheck): Hex {
  const asked = (allowUndeployed && unwrap(signature)?.inner) || signature;
  return probeItem(address, encodeFunctionData({ abi: erc1271, functionName: 'isValidSignature', args: [digest, asked] }), false);
}

function unwrap(signature: Hex): { factory: Hex; deployment: Hex; inner: Hex } | undefined {
  if (!isErc6492(signature)) return undefined;
  try {
    const parts = decodeAbiParameters([{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }], slice(signature, 0, -32));
    return { factory: parts[0], deployment: parts[1], inner: parts[2] };
  } catch {
    return undefined;
  }
}

/**
 * Runs inside `eth_call` as the creation of a contract, and asks accounts as the token's contract does: each with 500,000 gas
 * (`CALL_GAS`), looking at 32 bytes of what it returns. So an account's failure is caught in the EVM, and every error that a node
 * reports is an outage; no text of an error is ever read. After the code come the items: 20 bytes of address, one that is 1 for a
 * deployment to be called, 7 of nothing, 4 of length, then the call's data. It returns the hash of all this, which ties the answer
 * to the question, behind a first byte of 1 (a result may not begin with 0xef, EIP-3541); then a byte for every account.
 * When the gas runs low it stops, and leaves the rest unanswered: an account that gets less than its share might wrongly say no.
 */
export const probeSource = `object "SignatureProbe" {
  code {
    let at := datasize("SignatureProbe")
    let end := 0x20
    for {} lt(at, codesize()) {} {
      if lt(gas(), 700000) { break }
      codecopy(0x800, at, 0x20)
      let to := shr(96, mload(0x800))
      let deploys := byte(20, mload(0x800))
      let length := and(mload(0x800), 0xffffffff)
      codecopy(0x800, add(at, 0x20), length)
      at := add(at, add(0x20, length))
      if deploys {
        pop(call(5000000, to, 0, 0x800, length, 0, 0))
        continue
      }
      let answer := 1
      if extcodesize(to) {
        answer := 2
        if staticcall(500000, to, 0x800, length, 0x800, 0x20) {
          if and(gt(returndatasize(), 31), eq(mload(0x800), shl(224, 0x1626ba7e))) { answer := 3 }
        }
      }
      mstore8(end, answer)
      end := add(end, 1)
    }
    codecopy(0x800, 0, codesize())
    mstore(0, keccak256(0x800, codesize()))
    mstore8(0, 1)
    return(0, end)
  }
}`;

/** The source above, compiled by solc (a test compares them). */
export const probeCode: Hex =
  '0x602060c15b3881106024575b5038600061080039386108002060005260016000536000f35b620aae605a1060bd576020816108003961080051908160601c602063ffffffff84168381838196016108003901019260141a60aa579060019293918391813b6071575b5050815301906004565b602091925061080090816002946207a120fa608d575b38806067565b630b135d3f60e11b6108005114601f3d1116156087575060036087565b600091610800838093624c4b40f1506004565b600b56';

const answerOf: Record<number, Answer> = { 1: 'no contract', 2: 'no', 3: 'yes' };

/** Most bytes of one probe: creation code may have 49,152 (EIP-3860). */
const largestProbe = 48_000;

/** Most accounts of one probe: each byte it returns costs 200 gas, which what is left after the last account must pay for. */
const mostAnswers = 256;

function probeItem(to: Hex, data: Hex, deploys: boolean): Hex {
  return concat([to, deploys ? '0x01' : '0x00', numberToHex(size(data), { size: 11 }), data]);
}

/** Asks in as few calls as hold all questions. */
async function askAll(rpc: Rpc, items: readonly Hex[], block: AskedBlock): Promise<Answer[]> {
  const probes: { items: Hex[]; bytes: number }[] = [];
  for (const item of items) {
    const last = probes.at(-1);
    if (last && last.items.length < mostAnswers && last.bytes + size(item) <= largestProbe) {
      last.items.push(item);
      last.bytes += size(item);
    } else probes.push({ items: [item], bytes: size(probeCode) + size(item) });
  }
  return (await Promise.all(probes.map((probe) => askTogether(rpc, probe.items, block)))).flat();
}

/** One answer for each item, by one call, and by further ones while a node's gas does not suffice for all. */
async function askTogether(rpc: Rpc, items: readonly Hex[], block: AskedBlock): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < items.length) {
    const rest = items.slice(answers.length);
    try {
      const given = await runProbe(rpc, concat([probeCode, ...rest]), block);
      if (given.length === 0 || given.length > rest.length)
        throw new Error(`the node answered ${given.length} of ${rest.length} questions`);
      answers.push(...given);
    } catch (error) {
      answers.push(...rest.map(() => ({ missing: outageOf(error) })));
    }
  }
  return answers;
}

async function runProbe(rpc: Rpc, code: Hex, block: AskedBlock): Promise<Answer[]> {
  const tag = typeof block === 'bigint' ? numberToHex(block) : block;
  const result: unknown = await rpc.request({ method: 'eth_call', params: [{ data: code }, tag] });
  const prefix = `0x01${keccak256(code).slice(4)}`;
  if (typeof result !== 'string' || !result.startsWith(prefix)) throw new Error('the node answered something else than was asked');
  return Array.from(hexToBytes(`0x${result.slice(prefix.length)}`), (byte) => {
    const answer = answerOf[byte];
    if (answer === undefined) throw new Error(`the node answered a question with ${byte}`);
    return answer;
  });
}

/** Not the whole message of viem, which repeats the request and the URL with its key. */
function outageOf(error: unknown): string {
  return error instanceof BaseError ? `${error.shortMessage} ${error.details}` : messageOf(error);
}
