import { type Address, BaseError, type Hex, HttpRequestError, RpcRequestError, TimeoutError, zeroAddress } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { type Currency, tokenDecimals, tokenSymbol } from '../../platform/money.ts';
import type { Rpc } from '../rpc.ts';
import { answerOrRefusal, failure, type Finding, find, ok, type Verdict, warning } from './finding.ts';
import { lentGas } from '../call-gas.ts';

/** Where a proxy keeps the address of its code: keccak256("eip1967.proxy.implementation") - 1 (ERC-1967). */
const implementationSlot: Hex = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

/** Looks at a token: its code, what it says of itself, whether it moves. Never throws. */
export async function probeToken(rpc: Rpc, currency: Currency, token: Address): Promise<Finding[]> {
  const subject = `token ${currency} ${token}`;
  const code = await find(subject, 'code', () => probeCode(rpc, token));
  if (code.level !== 'ok') return [code];
  const read = { address: token, abi: eMoneyTokenAbi } as const;
  return [
    code,
    await find(subject, 'currency', async () => {
      const own = await orUnlike(rpc, () =>
        Promise.all([
          rpc.readContract({ ...read, functionName: 'currency' }),
          rpc.readContract({ ...read, functionName: 'symbol' }),
          rpc.readContract({ ...read, functionName: 'decimals' }),
        ]),
      );
      return own ? describesItself(currency, own) : unlikeToken;
    }),
    await find(subject, 'paused', async () => {
      const paused = await orUnlike(rpc, () => rpc.readContract({ ...read, functionName: 'paused' }));
      if (paused === undefined) return unlikeToken;
      return paused ? warning('yes', 'nothing moves until whoever has the unpauser role resumes it') : ok('no');
    }),
  ];
}

async function probeCode(rpc: Rpc, token: Address): Promise<Verdict> {
  if (!(await hasCode(rpc, token)))
    return failure('there is no contract', 'correct the address, or deploy the token: mintrail token deploy');
  const implementation = await readImplementation(rpc, token);
  if (!implementation) return failure('it is no ERC-1967 proxy', 'correct the address: it must be that of the proxy');
  if (!(await hasCode(rpc, implementation))) return failure(`its code, ${implementation}, is missing`, 'correct the address');
  return ok(`proxy of ${implementation}`);
}

/** The address of a proxy's code; undefined when the contract is no proxy. */
export async function readImplementation(rpc: Rpc, proxy: Address): Promise<Address | undefined> {
  const word = await rpc.getStorageAt({ address: proxy, slot: implementationSlot });
  const address = `0x${(word ?? '0x').slice(2).padStart(64, '0').slice(24)}` as const;
  return address === zeroAddress ? undefined : address;
}

export async function hasCode(rpc: Rpc, address: Address): Promise<boolean> {
  const code = await rpc.request({ method: 'eth_getCode', params: [address, 'latest'] });
  // A node that answers null has not answered.
  if (typeof code !== 'string') throw new Error('the node did not answer eth_getCode');
  return code !== '0x';
}

function describesItself(currency: Currency, [letters, symbol, decimals]: [string, string, number]): Verdict {
  const text = `${letters}, ${symbol}, ${decimals} decimals`;
  if (letters !== currency.toUpperCase()) return failure(text, `it is a token of another currency: correct the address of ${currency}`);
  if (decimals !== tokenDecimals) return failure(text, `amounts are counted with ${tokenDecimals} decimals: use another token`);
  if (symbol !== tokenSymbol(currency)) return warning(text, `wallets show ${symbol} where the API says ${tokenSymbol(currency)}`);
  return ok(text);
}

export const unlikeToken = failure('the contract does not answer as an e-money token', 'correct the address');

/**
 * A reading of a contract; undefined when the contract itself cannot answer it: it reverts, runs out of gas or returns something else,
 * while the node carries out another call. Throws when the node could not be asked.
 */
export async function orUnlike<T>(rpc: Rpc, read: () => Promise<T>): Promise<T | undefined> {
  const control = () => lentGas(rpc, 'latest');
  try {
    const asked = await answerOrRefusal(read, control);
    return 'answer' in asked ? asked.answer : undefined;
  } catch (error) {
    if (!isUndecodable(error)) throw error;
    await control();
    return undefined;
  }
}

/** The node answered the call, and with what no such function returns. */
function isUndecodable(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  return !error.walk((inner) => inner instanceof RpcRequestError || inner instanceof HttpRequestError || inner instanceof TimeoutError);
}
