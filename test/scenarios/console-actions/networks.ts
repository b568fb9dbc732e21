import { encodeFunctionData, type Hex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { tokenRoles } from '../../../src/chain/token/roles.ts';
import { openSafe } from '../../../sandbox/demo/safe-wallet.ts';
import { connectLocalChain } from '../../support/chain/local-chain.ts';
import { addTestWallet, type TestWallet } from '../test-wallet.ts';
import type { ConsoleWorld } from './world.ts';

const chain = 'sepolia';
const currency = 'gbp';

/** A change of a token by the owners of the Safe that may pause it, with a wallet of the browser. */
export function networkExercises(world: ConsoleWorld) {
  const { file, ledger, administer, asker, byOne, byTwo } = world;
  const { rpcUrl = '', chainId = 0, tokens = {} } = file.chains[chain] ?? {};
  const local = connectLocalChain(rpcUrl, chainId);
  const token = tokens[currency] as Hex;
  const owners = file.accounts.slice(4, 7).map(({ privateKey }) => privateKeyToAccount(privateKey)) as [
    PrivateKeyAccount,
    PrivateKeyAccount,
  ];
  const wallet: TestWallet = { account: owners[0], chainId: '0x1' };
  /** Of the admin's account, which nobody needs in a browser, the Safe takes the roles over. */
  const giveRolesTo = async (safe: Hex) => {
    for (const role of [tokenRoles.PAUSER_ROLE, tokenRoles.UNPAUSER_ROLE])
      for (const [functionName, account] of [
        ['grantRole', safe],
        ['revokeRole', world.admin],
      ] as const)
        await administer(chain, currency, encodeFunctionData({ abi: eMoneyTokenAbi, functionName, args: [role, account] }));
  };
  const isPaused = async () => local.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'paused' });
  const prepare = async (kind: string) => {
    await asker.open('/networks');
    await byTwo({
      button: asker.button('Prepare a change'),
      fill: async (dialog) => {
        await dialog.getByLabel('Token', { exact: true }).selectOption(`${chain}:${currency}`);
        await dialog.getByLabel('Change', { exact: true }).selectOption(kind);
      },
      reason: `to ${kind}`,
    });
    const { id } = await ledger.selectFrom('safeTransactions').where('reason', '=', `to ${kind}`).select('id').executeTakeFirstOrThrow();
    await asker.open(`/networks/transactions/${id}`);
  };
  return {
    'networks.prepare': async () => {
      const safe = await openSafe(file, chain, file.accounts.slice(4, 7));
      await giveRolesTo(safe.address);
      await addTestWallet(asker.page, local, wallet);
      await prepare('pause');
      await asker.page.getByText('the Safe computes the same hash of this transaction').waitFor();
    },
    'networks.sign': async () => {
      for (const [index, owner] of owners.slice(0, 2).entries()) {
        wallet.account = owner;
        await asker.page.reload();
        await asker.button('Connect Test Wallet').click();
        await asker.button('Sign with the wallet').click();
        await asker.page
          .getByText(`${index + 1} of the 2 needed`)
          .first()
          .waitFor();
      }
      await asker.button('Execute with the wallet').click();
      await asker.page.getByText('Executed.').waitFor();
      expect(await isPaused()).toBe(true);
    },
    'networks.withdraw': async () => {
      await prepare('unpause');
      await byOne({ button: asker.button('Withdraw') });
      const { state } = await ledger
        .selectFrom('safeTransactions')
        .where('reason', '=', 'to unpause')
        .select('state')
        .executeTakeFirstOrThrow();
      expect([state, await isPaused()]).toEqual(['withdrawn', true]);
    },
  };
}
