import { type Address, formatUnits } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { type Chain, chainFacts } from '../../platform/chains.ts';
import { type Currency, tokenDecimals } from '../../platform/money.ts';
import { suggestFees } from '../fees.ts';
import type { Rpc } from '../rpc.ts';
import { adminRoles, tokenRoles } from '../token/roles.ts';
import { failure, type Finding, find, ok, type Verdict, warning } from './finding.ts';
import { orUnlike, unlikeToken } from './token.ts';

/** Gas of a transaction that issues 100 orders to new holders (bench/gas.ts). */
const transactionGas = 3_000_000n;

/** Below this many such transactions it is time to send gas money. */
const comfortable = 20n;

/** Whether an account can pay for its transactions. */
export function probeBalance(rpc: Rpc, chain: Chain, subject: string, address: Address): Promise<Finding> {
  const { symbol, decimals } = chainFacts(chain).currency;
  return find(subject, 'gas money', async () => {
    const [balance, { maxFeePerGas }] = await Promise.all([rpc.getBalance({ address }), suggestFees(rpc)]);
    const sent = maxFeePerGas === 0n ? comfortable : balance / (transactionGas * maxFeePerGas);
    const held = `${formatUnits(balance, decimals)} ${symbol}`;
    if (sent === 0n) {
      const missing = formatUnits(transactionGas * maxFeePerGas * comfortable - balance, decimals);
      return failure(`${held}: not enough for a transaction of 100 orders`, `send ${missing} ${symbol} to ${address}`);
    }
    const text = `${held}: about ${sent} transactions of 100 orders at the fees of now`;
    return sent < comfortable ? warning(text, `send more ${symbol} to ${address}`) : ok(text);
  });
}

/** What a signer may do with a token: operate, within an allowance, and nothing else. */
export async function probeRoles(rpc: Rpc, subject: string, signer: Address, currency: Currency, token: Address): Promise<Finding[]> {
  const read = { address: token, abi: eMoneyTokenAbi } as const;
  const holds = (role: keyof typeof tokenRoles) => rpc.readContract({ ...read, functionName: 'hasRole', args: [tokenRoles[role], signer] });
  return [
    await find(subject, `operator of ${currency}`, async () => {
      const operates = await orUnlike(rpc, () => holds('OPERATOR_ROLE'));
      if (operates === undefined) return unlikeToken;
      return operates ? ok('yes') : failure('no', `the token's admin must grant OPERATOR_ROLE to ${signer}`);
    }),
    await find(subject, `mint allowance of ${currency}`, async () => {
      const allowance = await orUnlike(rpc, () => rpc.readContract({ ...read, functionName: 'mintAllowance', args: [signer] }));
      if (allowance === undefined) return unlikeToken;
      const text = `${formatUnits(allowance, tokenDecimals)} ${currency.toUpperCase()}`;
      return allowance > 0n ? ok(text) : failure(text, `nothing can be issued: the token's admin must call setMintAllowance(${signer}, …)`);
    }),
    await find(subject, `no more of ${currency}`, async (): Promise<Verdict> => {
      const held = await orUnlike(rpc, () => Promise.all(adminRoles.map(holds)));
      if (held === undefined) return unlikeToken;
      const names = adminRoles.filter((_, index) => held[index]);
      if (names.length === 0) return ok('no other role');
      return failure(`holds ${names.join(', ')}`, 'a key that signs all day must hold no other role: the admin must revoke them');
    }),
  ];
}
