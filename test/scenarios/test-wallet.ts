import type { Page } from 'playwright-core';
import type { Hex, PrivateKeyAccount } from 'viem';
import { type LocalChain, transact } from '../support/chain/local-chain.ts';

/** A wallet of a browser: the account that it shows, and the network that it is on, as a hexadecimal chain id. Both may be changed. */
export interface TestWallet {
  account: PrivateKeyAccount;
  chainId: string;
}

/** Adds a wallet to every page that is opened afterwards. It announces itself (EIP-6963), signs everything, and sends to this chain. */
export async function addTestWallet(page: Page, chain: LocalChain, wallet: TestWallet): Promise<void> {
  await page.exposeFunction('askTestWallet', async (method: string, params: readonly unknown[] = []) => {
    if (method === 'eth_requestAccounts') return [wallet.account.address];
    if (method === 'eth_chainId') return wallet.chainId;
    if (method === 'wallet_switchEthereumChain') {
      wallet.chainId = (params[0] as { chainId: string }).chainId;
      return null;
    }
    if (method === 'eth_signTypedData_v4') {
      const { types, ...typedData } = JSON.parse(params[1] as string);
      const { EIP712Domain: _, ...others } = types;
      return wallet.account.signTypedData({ ...typedData, types: others });
    }
    const { to, data } = params[0] as { to: Hex; data: Hex };
    return (await transact(chain, { from: wallet.account, to, data })).transactionHash;
  });
  await page.addInitScript(`
    const provider = { request: ({ method, params }) => window.askTestWallet(method, params) };
    const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', {
      detail: Object.freeze({ info: { uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Test Wallet', icon: '', rdns: 'test' }, provider }) }));
    window.addEventListener('eip6963:requestProvider', announce);
    announce();`);
}
