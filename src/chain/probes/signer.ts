import { type Address, formatUnits } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { type Chain, chainFacts } from '../../platform/chains.ts';
import { tokenUnits } from '../../platform/money.ts';
import type { AdministeredToken } from '../token/administered-token.ts';
import { suggestFees } from '../fees.ts';
import { readIfSupported } from '../contract.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { formatTokens } from '../token/amounts.ts';
import { adminRoles, roleName, tokenRoles } from '../token/roles.ts';
import { type CheckResult, failure, type Finding, ok, runCheck, warning } from './finding.ts';
import { notAToken } from './token.ts';

/** Gas of a transaction that issues 100 orders to new holders (bench/gas.ts). */
const transactionGas = 3_000_000n;

/** Fewer such transactions than this are a warning. */
const comfortableTransactions = 20n;

/** Name of the check that an account can pay for its transactions. */
export const gasMoneyCheck = 'gas money';

/** Checks that an account can pay for its transactions. Never throws. */
export function probeBalance(rpc: Rpc, chain: Chain, subject: string, address: Address): Promise<Finding> {
  const { symbol, decimals } = chainFacts(chain).currency;
  return runCheck(subject, gasMoneyCheck, async () => {
    const [balance, { maxFeePerGas }] = await Promise.all([rpc.getBalance({ address }), suggestFees(rpc)]);
    const affordable = maxFeePerGas === 0n ? comfortableTransactions : balance / (transactionGas * maxFeePerGas);
    const held = `${formatUnits(balance, decimals)} ${symbol}`;
    if (affordable === 0n) {
      const missing = formatUnits(transactionGas * maxFeePerGas * comfortableTransactions - balance, decimals);
      return failure(`${held}: not enough for a transaction of 100 orders`, `send ${missing} ${symbol} to ${address}`);
    }
    const text = `${held}: about ${affordable} transactions of 100 orders at the present fees`;
    return affordable < comfortableTransactions ? warning(text, `send more ${symbol} to ${address}`) : ok(text);
  });
}

/** Checks that a signer can operate a token, within an allowance, and holds no other role. Never throws. */
export async function probeRoles(
  rpc: Rpc,
  subject: string,
  signer: Address,
  { chain, currency, address: token }: AdministeredToken,
): Promise<Finding[]> {
  const read = { address: token, abi: eMoneyTokenAbi } as const;
  const options = `--chain ${chain} --currency ${currency}`;
  const holds = (role: keyof typeof tokenRoles) => rpc.readContract({ ...read, functionName: 'hasRole', args: [tokenRoles[role], signer] });
  return [
    await runCheck(subject, `operator of ${currency}`, async () => {
      const operates = await readIfSupported(rpc, () => holds('OPERATOR_ROLE'));
      if (operates === undefined) return notAToken;
      return operates ? ok('yes') : failure('no', `let the token's admin grant it: mintrail token grant operator ${signer} ${options}`);
    }),
    await runCheck(subject, `mint allowance of ${currency}`, async () => {
      const functions = ['mintAllowance', 'dailyMintLimit', 'mintable'] as const;
      const limits = await readIfSupported(rpc, () =>
        Promise.all(functions.map((functionName) => rpc.readContract({ ...read, functionName, args: [signer] }))),
      );
      if (limits === undefined) return notAToken;
      const [allowance = 0n, daily = 0n, now = 0n] = limits;
      const [total, perDay] = [allowance, daily].map((amount) => formatTokens(tokenUnits(amount), currency));
      const text = `${total}, ${perDay} a day`;
      if (allowance === 0n || daily === 0n)
        return failure(
          text,
          `nothing can be issued: let the token's admin raise it, by mintrail token allowance ${signer} AMOUNT --daily-mint-limit AMOUNT ${options}`,
        );
      return now > 0n ? ok(text) : warning(text, 'the limit of a day is used up: nothing can be issued before midnight UTC');
    }),
    await runCheck(subject, `other roles of ${currency}`, async (): Promise<CheckResult> => {
      const held = await readIfSupported(rpc, () => Promise.all(adminRoles.map(holds)));
      if (held === undefined) return notAToken;
      const names = adminRoles.filter((_, index) => held[index]);
      if (names.length === 0) return ok('none');
      return failure(
        names.map(roleName).join(', '),
        `a signer must hold no other role, because its key is always in use: let the admin take them, by mintrail token revoke ROLE ${signer} ${options}`,
      );
    }),
  ];
}
