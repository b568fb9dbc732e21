import type { Address, LocalAccount } from 'viem';
import { type Currency, type TokenUnits, tokenUnits } from '../../src/platform/money.ts';
import { deployLocally } from '../../src/chain/deploy/deploy-locally.ts';
import type { LocalChain } from '../../src/chain/deploy/local-chain.ts';
import { planToken } from '../../src/chain/deploy/token-plan.ts';

/** The highest limit of an operator: as many minor units as 80 bits hold. */
export const unlimitedMinting = tokenUnits((2n ** 80n - 1n) * 10n ** 16n);

/** The tokens to be deployed on a local chain, and who may do what with them. */
export interface LocalTokens extends LocalChain {
  /** Pays, and administers the tokens. */
  admin: LocalAccount;
  /** Accounts that may issue and redeem. */
  operators: readonly Address[];
  currencies: readonly Currency[];
  /** Of each operator; by default practically unlimited. */
  mintAllowance?: TokenUnits;
}

/**
 * Deploys a token for each currency on an Anvil: one implementation, and a proxy each. Skips what is deployed already. Returns the tokens'
 * addresses. Throws `transaction_reverted`.
 */
export async function deployTokens(tokens: LocalTokens): Promise<Partial<Record<Currency, Address>>> {
  const { url, chainId, admin, operators, currencies, mintAllowance = unlimitedMinting } = tokens;
  const allowances = operators.map((account) => ({ account, mintAllowance, dailyMintLimit: mintAllowance }));
  const plans = currencies.map((currency) =>
    planToken({ currency, admin: admin.address, adminDelay: 0, operators: allowances, blockers: [] }),
  );
  const codes = plans.flatMap(({ implementation, token }) => [implementation.bytecode, token.bytecode]);
  await deployLocally({ url, chainId, payer: admin }, [...new Set(codes)]);
  return Object.fromEntries(currencies.map((currency, index) => [currency, plans[index]?.token.address]));
}
