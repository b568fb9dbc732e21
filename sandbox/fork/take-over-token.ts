import { type Address, createTestClient, encodeFunctionData, type Hex, http, parseEther, publicActions, toHex, walletActions } from 'viem';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { defineLocalChain, type LocalChain } from '../../src/chain/deploy/local-chain.ts';
import { unlimitedMinting } from '../chains/local-tokens.ts';
import { tokenRoles } from '../../src/chain/token/roles.ts';
import { roleSlot } from '../../src/chain/token/storage-slots.ts';
import { StopError } from '../../src/platform/errors.ts';

/** A token of a live network on its fork, and the signers that are to issue and redeem it there. */
export interface TakeOver extends LocalChain {
  token: Address;
  operators: readonly Address[];
}

/** Gas money of an impersonated account. */
const gasMoney = parseEther('10');

/**
 * Gives signers the operator's role and practically unlimited mint limits of a token, as its admin, whom Anvil lets anybody impersonate. Skips what
 * is so already. Where a timelock sets the limits, the admin gets the role for it on the fork: nobody waits for a timelock of a live network
 * there. Throws `not_possible`.
 */
export async function takeOverToken({ token, operators, ...local }: TakeOver): Promise<void> {
  const client = createTestClient({
    chain: defineLocalChain(local),
    mode: 'anvil',
    transport: http(local.url, { timeout: 90_000 }),
    pollingInterval: 100,
  })
    .extend(publicActions)
    .extend(walletActions);
  const contract = { address: token, abi: eMoneyTokenAbi } as const;
  const admin = await client.readContract({ ...contract, functionName: 'defaultAdmin' });
  const holds = (role: Hex, account: Address) => client.readContract({ ...contract, functionName: 'hasRole', args: [role, account] });

  const asAdmin = async (data: Hex): Promise<void> => {
    const hash = await client.sendTransaction({ account: admin, to: token, data });
    const { status } = await client.waitForTransactionReceipt({ hash, timeout: 60_000 });
    if (status !== 'success')
      throw new StopError({
        code: 'not_possible',
        message: `The token ${token} reverted a call of its admin ${admin} on the fork: ${hash}. Report it as a defect`,
      });
  };

  const pending: Address[] = [];
  for (const operator of operators) {
    const limit = await client.readContract({ ...contract, functionName: 'mintAllowance', args: [operator] });
    if (!(await holds(tokenRoles.OPERATOR_ROLE, operator)) || limit === 0n) pending.push(operator);
  }
  if (pending.length === 0) return;

  await client.impersonateAccount({ address: admin });
  try {
    if ((await client.getBalance({ address: admin })) < gasMoney) await client.setBalance({ address: admin, value: gasMoney });
    if (!(await holds(tokenRoles.ALLOWANCE_ROLE, admin)))
      await client.setStorageAt({ address: token, index: roleSlot(tokenRoles.ALLOWANCE_ROLE, admin), value: toHex(1, { size: 32 }) });
    for (const operator of pending) {
      if (!(await holds(tokenRoles.OPERATOR_ROLE, operator)))
        await asAdmin(encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'grantRole', args: [tokenRoles.OPERATOR_ROLE, operator] }));
      const args = [operator, 0n, unlimitedMinting, unlimitedMinting] as const;
      await asAdmin(encodeFunctionData({ abi: eMoneyTokenAbi, functionName: 'setMintAllowance', args }));
    }
  } finally {
    await client.stopImpersonatingAccount({ address: admin });
  }
}
