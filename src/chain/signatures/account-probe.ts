import { BaseError, concat, type Hex, hexToBytes, keccak256, numberToHex, size } from 'viem';
import { messageOf } from '../../platform/errors.ts';
import type { Rpc } from '../rpc.ts';

/** The block whose state is read. Never `pending`: what is signed there may never be mined. */
export type StateBlock = bigint | 'latest' | 'safe' | 'finalized';

/** What an account answers to `isValidSignature`. An outage is the reason why the node gave no answer. */
export type AccountAnswer = 'no contract' | 'no' | 'yes' | { outage: string };

/** A call of an account, encoded for the probe. */
export type AccountQuery = Hex;

/**
 * The probe runs inside `eth_call` as the creation of a contract. It calls accounts exactly as the token's contract does: each with 500,000 gas
 * (`CALL_GAS`), reading 32 bytes of what it returns. So the failure of an account is caught in the EVM, every error that a node reports is an
 * outage, and no error text has to be interpreted.
 *
 * After the probe's code come the queries: 20 bytes of address, a byte that is 1 for a deployment, 7 zero bytes, 4 bytes of length, the
 * calldata. The result is the hash of code and queries, which ties the answer to the request (with 1 as its first byte, because a result must
 * not begin with 0xef, EIP-3541), followed by a byte for each account. When gas runs low the probe stops and leaves the rest unanswered: an
 * account with less gas than the token grants it might wrongly answer no.
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

/** `probeSource`, compiled by solc (a test compares them). */
export const probeCode: Hex =
  '0x602060c15b3881106024575b5038600061080039386108002060005260016000536000f35b620aae605a1060bd576020816108003961080051908160601c602063ffffffff84168381838196016108003901019260141a60aa579060019293918391813b6071575b5050815301906004565b602091925061080090816002946207a120fa608d575b38806067565b630b135d3f60e11b6108005114601f3d1116156087575060036087565b600091610800838093624c4b40f1506004565b600b56';

const answers: Record<number, AccountAnswer> = { 1: 'no contract', 2: 'no', 3: 'yes' };

/** Most bytes of one probe: creation code may have 49,152 (EIP-3860). */
const mostBytes = 48_000;

/** Most accounts in one probe: each byte of the result costs 200 gas, which the gas left after the last account must cover. */
const mostAccounts = 256;

/** Calls an account's `isValidSignature`. */
export function callQuery(account: Hex, calldata: Hex): AccountQuery {
  return encodeQuery(account, calldata, false);
}

/** Calls a factory before the queries that follow. It has no answer of its own. */
export function deploymentQuery(factory: Hex, calldata: Hex): AccountQuery {
  return encodeQuery(factory, calldata, true);
}

function encodeQuery(to: Hex, data: Hex, deploys: boolean): AccountQuery {
  return concat([to, deploys ? '0x01' : '0x00', numberToHex(size(data), { size: 11 }), data]);
}

/** Calls accounts, in as few requests as possible. Returns an answer for each query. Never throws. */
export async function queryAccounts(rpc: Rpc, queries: readonly AccountQuery[], block: StateBlock): Promise<AccountAnswer[]> {
  const probes: { queries: AccountQuery[]; bytes: number }[] = [];
  for (const query of queries) {
    const last = probes.at(-1);
    if (last && last.queries.length < mostAccounts && last.bytes + size(query) <= mostBytes) {
      last.queries.push(query);
      last.bytes += size(query);
    } else probes.push({ queries: [query], bytes: size(probeCode) + size(query) });
  }
  return (await Promise.all(probes.map((probe) => runToEnd(rpc, probe.queries, block)))).flat();
}

/** Calls an account after a deployment, in one request: the first query deploys it. Returns the answers of the others. Never throws. */
export async function queryTogether(rpc: Rpc, queries: readonly AccountQuery[], block: StateBlock): Promise<AccountAnswer[]> {
  return runToEnd(rpc, [concat(queries)], block);
}

/** An answer for each query, by one request, and by more while the node's gas is not enough for all. */
async function runToEnd(rpc: Rpc, queries: readonly AccountQuery[], block: StateBlock): Promise<AccountAnswer[]> {
  const collected: AccountAnswer[] = [];
  while (collected.length < queries.length) {
    const rest = queries.slice(collected.length);
    try {
      const some = await runProbe(rpc, concat([probeCode, ...rest]), block);
      if (some.length === 0 || some.length > rest.length) throw new Error(`the node answered ${some.length} of ${rest.length} queries`);
      collected.push(...some);
    } catch (error) {
      collected.push(...rest.map(() => ({ outage: outageOf(error) })));
    }
  }
  return collected;
}

async function runProbe(rpc: Rpc, code: Hex, block: StateBlock): Promise<AccountAnswer[]> {
  const tag = typeof block === 'bigint' ? numberToHex(block) : block;
  const result: unknown = await rpc.request({ method: 'eth_call', params: [{ data: code }, tag] });
  const prefix = `0x01${keccak256(code).slice(4)}`;
  if (typeof result !== 'string' || !result.startsWith(prefix)) throw new Error('the node did not answer the probe');
  return Array.from(hexToBytes(`0x${result.slice(prefix.length)}`), (byte) => {
    const answer = answers[byte];
    if (answer === undefined) throw new Error(`the node answered a query with ${byte}`);
    return answer;
  });
}

/** Not viem's whole message, which repeats the request and the URL with its key. */
function outageOf(error: unknown): string {
  return error instanceof BaseError ? `${error.shortMessage} ${error.details}` : messageOf(error);
}
