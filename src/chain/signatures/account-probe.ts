import { BaseError, concat, encodeFunctionData, type Hex, hexToBytes, keccak256, numberToHex, size } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { messageOf } from '../../platform/errors.ts';
import { larger } from '../fees.ts';
import type { Rpc } from '../endpoints/rpc.ts';

/** The block whose state is read. Never `pending`: what is signed there may never be mined. */
export type StateBlock = bigint | 'latest' | 'safe' | 'finalized';

/** What an account answers to `isValidSignature`. An outage is the reason why the node gave no answer. */
export type AccountAnswer = 'no contract' | 'no' | 'yes' | { outage: string };

/** A call of the token or of a factory, encoded for the probe. */
export type AccountQuery = Hex;

/** Who may send the transaction that asks an account on chain, and the tip that each offers, in wei per gas. */
export interface Senders {
  addresses: readonly Hex[];
  tipPerGas: bigint;
}

/**
 * The probe runs inside `eth_call` as the creation of a contract, in a transaction of a signer of the operator at the price that its own would have. It asks the token
 * (`isApproved`), which asks the account as it does when it burns: with the gas that it allows, as its sender. So the failure of an account is caught in
 * the EVM, every error that a node reports is an outage, and no error text has to be interpreted.
 *
 * After the probe's code come the queries: 20 bytes of the token or of a factory, a byte that is 1 for a deployment, 7 zero bytes, 4 bytes of length, the
 * calldata. The result is the hash of code and queries, which ties the answer to the request (with 1 as its first byte, because a result must
 * not begin with 0xef, EIP-3541), followed by a byte for each account. When gas runs low, or the token gives no answer, the probe stops and leaves the
 * rest unanswered: the token reverts when it has less gas than it grants an account (at most 1,000,000).
 */
export const probeSource = `object "SignatureProbe" {
  code {
    let at := datasize("SignatureProbe")
    let end := 0x20
    for {} lt(at, codesize()) {} {
      if lt(gas(), 1400000) { break }
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
      if extcodesize(mload(0x804)) {
        if iszero(staticcall(sub(gas(), 150000), to, 0x800, length, 0x800, 0x20)) { break }
        if lt(returndatasize(), 0x20) { break }
        answer := add(2, eq(mload(0x800), 1))
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

/** `probeSource`, compiled by solc (a test compares them). */
export const probeCode: Hex =
  '0x602060c15b3881106024575b5038600061080039386108002060005260016000536000f35b9062155cc05a1060bc576020826108003961080051918260601c90602063ffffffff85168281838195016108003901019360141a60a557600191610804513b6075575b505090600191815301906004565b6020916108008092620249ef195a01fa15609f5760203d10609f5761080051146002016001386067565b5090600b565b60009190610800838093624c4b40979697f1506004565b90600b56';

const answers: Record<number, AccountAnswer> = { 1: 'no contract', 2: 'no', 3: 'yes' };

/** Most bytes of one probe: creation code may have 49,152 (EIP-3860). */
const mostBytes = 48_000;

/** Most accounts in one probe: each byte of the result costs 200 gas, which the gas left after the last account must cover. */
const mostAccounts = 256;

/** Asks a token whether an account approves a signature, by the call with which the token asks it before it burns. */
export function approvalQuery(token: Hex, account: Hex, digest: Hex, signature: Hex): AccountQuery {
  const data = encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'isApproved', args: [account, digest, signature] });
  return encodeQuery(token, data, false);
}

/** Calls a factory before the queries that follow. It has no answer of its own. */
export function deploymentQuery(factory: Hex, calldata: Hex): AccountQuery {
  return encodeQuery(factory, calldata, true);
}

function encodeQuery(to: Hex, data: Hex, deploys: boolean): AccountQuery {
  return concat([to, deploys ? '0x01' : '0x00', numberToHex(size(data), { size: 11 }), data]);
}

/** Most gas of a probe: a transaction has at most 16,777,216 (EIP-7825). */
const mostGas = 16_000_000n;

/** Gas of the smallest probe: the 1,400,000 below which it stops, its creation, and the bytes of a common signature. */
const leastGas = 1_600_000n;

/** Gas that a probe has for each of its bytes, of which at most 40 pay for the byte (EIP-7623). */
const gasOfByte = 100;

/** What a probe's call is: who sends it, at which price, and the gas that it may take, for which a node wants the sender to have the money. */
export interface Terms {
  from: Hex;
  gasPrice: bigint;
  gas: bigint;
}

/**
 * Reads the terms of a call of each sender at a block, without senders that hold too little to ask a single account: they can hardly send a redemption,
 * and must not hold up the others. Throws what the node throws, and when no sender is left.
 */
export async function readTerms(rpc: Rpc, { addresses, tipPerGas }: Senders, block: StateBlock): Promise<Terms[]> {
  const at = typeof block === 'bigint' ? { blockNumber: block } : { blockTag: block };
  const [{ baseFeePerGas }, ...balances] = await Promise.all([
    rpc.getBlock(at),
    ...addresses.map((address) => rpc.getBalance({ address, ...at })),
  ]);
  // An account sees the price, and what of it is above the base fee. Never nothing: some accept then what they refuse in a transaction.
  const gasPrice = larger((baseFeePerGas ?? 0n) + tipPerGas, 1n);
  const terms = addresses.flatMap((from, index) => {
    const payable = (balances[index] as bigint) / gasPrice;
    return payable < leastGas ? [] : [{ from, gasPrice, gas: payable < mostGas ? payable : mostGas }];
  });
  if (terms.length === 0) throw new Error('no signer of the network is reached that has the gas money to ask an account');
  return terms;
}

/** Asks tokens about accounts, in as few requests as possible. Returns an answer for each query. Never throws. */
export async function queryAccounts(rpc: Rpc, terms: Terms, queries: readonly AccountQuery[], block: StateBlock): Promise<AccountAnswer[]> {
  const most = Math.min(mostBytes, Number(terms.gas) / gasOfByte);
  const probes: { queries: AccountQuery[]; bytes: number }[] = [];
  for (const query of queries) {
    const last = probes.at(-1);
    if (last && last.queries.length < mostAccounts && last.bytes + size(query) <= most) {
      last.queries.push(query);
      last.bytes += size(query);
    } else probes.push({ queries: [query], bytes: size(probeCode) + size(query) });
  }
  return (await Promise.all(probes.map((probe) => runToEnd(rpc, terms, probe.queries, block)))).flat();
}

/** Asks about an account after a deployment, in one request: the first query deploys it. Returns the answers of the others. Never throws. */
export async function queryTogether(rpc: Rpc, terms: Terms, queries: readonly AccountQuery[], block: StateBlock): Promise<AccountAnswer[]> {
  return runToEnd(rpc, terms, [concat(queries)], block);
}

/** An answer for each query, by one request, and by more while the call's gas is not enough for all. */
async function runToEnd(rpc: Rpc, terms: Terms, queries: readonly AccountQuery[], block: StateBlock): Promise<AccountAnswer[]> {
  const collected: AccountAnswer[] = [];
  while (collected.length < queries.length) {
    const rest = queries.slice(collected.length);
    try {
      const some = await runProbe(rpc, terms, concat([probeCode, ...rest]), block);
      if (some.length === 0 || some.length > rest.length) throw new Error(`the token answered ${some.length} of ${rest.length} queries`);
      collected.push(...some);
    } catch (error) {
      collected.push(...rest.map(() => ({ outage: outageOf(error) })));
    }
  }
  return collected;
}

async function runProbe(rpc: Rpc, { from, gasPrice, gas }: Terms, code: Hex, block: StateBlock): Promise<AccountAnswer[]> {
  const tag = typeof block === 'bigint' ? numberToHex(block) : block;
  const call = { from, gasPrice: numberToHex(gasPrice), gas: numberToHex(gas), data: code };
  const result: unknown = await rpc.request({ method: 'eth_call', params: [call, tag] });
  const prefix = `0x01${keccak256(code).slice(4)}`;
  if (typeof result !== 'string' || !result.startsWith(prefix)) throw new Error('the node did not answer the probe');
  return Array.from(hexToBytes(`0x${result.slice(prefix.length)}`), (byte) => {
    const answer = answers[byte];
    if (answer === undefined) throw new Error(`the node answered a query with ${byte}`);
    return answer;
  });
}

/** Why a node gave no answer. Not viem's whole message, which repeats the request and the URL with its key. */
export function outageOf(error: unknown): string {
  return error instanceof BaseError ? `${error.shortMessage} ${error.details}` : messageOf(error);
}
