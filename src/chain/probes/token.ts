import type { Address } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { type Currency, tokenDecimals, tokenSymbol } from '../../platform/money.ts';
import type { AdministeredToken } from '../token/administered-token.ts';
import { hasCode, readIfSupported, readImplementation } from '../contract.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { type CheckResult, failure, type Finding, ok, runCheck, warning } from './finding.ts';

/** The result of a check that the contract does not support. */
export const notAToken = failure('the contract does not answer as an e-money token', 'correct the address');

/** Checks a token: its code, its currency, whether it is paused. Never throws. */
export async function probeToken(rpc: Rpc, { chain, currency, address: token }: AdministeredToken): Promise<Finding[]> {
  const subject = `token ${currency} ${token}`;
  const code = await runCheck(subject, 'code', () => checkCode(rpc, token));
  if (code.level !== 'ok') return [code];
  const read = { address: token, abi: eMoneyTokenAbi } as const;
  return [
    code,
    await runCheck(subject, 'currency', async () => {
      const description = await readIfSupported(rpc, () =>
        Promise.all([
          rpc.readContract({ ...read, functionName: 'currency' }),
          rpc.readContract({ ...read, functionName: 'symbol' }),
          rpc.readContract({ ...read, functionName: 'decimals' }),
        ]),
      );
      return description ? checkDescription(currency, description) : notAToken;
    }),
    await runCheck(subject, 'paused', async () => {
      const paused = await readIfSupported(rpc, () => rpc.readContract({ ...read, functionName: 'paused' }));
      if (paused === undefined) return notAToken;
      return paused
        ? warning('yes', `no token moves until its admin resumes it: mintrail token unpause --chain ${chain} --currency ${currency}`)
        : ok('no');
    }),
  ];
}

async function checkCode(rpc: Rpc, token: Address): Promise<CheckResult> {
  if (!(await hasCode(rpc, token)))
    return failure('there is no contract', 'correct the address, or deploy the token: mintrail token deploy');
  const implementation = await readImplementation(rpc, token);
  if (!implementation) return failure('it is not an ERC-1967 proxy', 'correct the address: it must be that of the proxy');
  if (!(await hasCode(rpc, implementation))) return failure(`its code, ${implementation}, is missing`, 'correct the address');
  return ok(`proxy of ${implementation}`);
}

function checkDescription(currency: Currency, [letters, symbol, decimals]: [string, string, number]): CheckResult {
  const text = `${letters}, ${symbol}, ${decimals} decimals`;
  if (letters !== currency.toUpperCase()) return failure(text, `it is a token of another currency: correct the address of ${currency}`);
  if (decimals !== tokenDecimals) return failure(text, `a token must have ${tokenDecimals} decimals: use another token`);
  if (symbol !== tokenSymbol(currency)) return warning(text, `wallets show ${symbol} where the API says ${tokenSymbol(currency)}`);
  return ok(text);
}
