import { useEffect, useState } from 'react';

/** What a wallet in the browser offers (EIP-1193). */
interface Provider {
  request: (call: { method: string; params?: readonly unknown[] }) => Promise<unknown>;
}

/** A wallet that has announced itself (EIP-6963), or that which older ones put into the page. */
export interface Wallet {
  id: string;
  name: string;
  provider: Provider;
}

interface Announcement {
  info: { uuid: string; name: string };
  provider: Provider;
}

/** What a wallet answers when the person says no (EIP-1193). */
const rejectedByUser = 4001;
/** What it answers when it does not know a network (EIP-3326). */
const unknownChain = 4902;

/** The wallets of this browser. */
export function useWallets(): readonly Wallet[] {
  const [announced, setAnnounced] = useState<readonly Wallet[]>([]);
  useEffect(() => {
    const add = (event: Event) => {
      const { info, provider } = (event as CustomEvent<Announcement>).detail;
      setAnnounced((known) =>
        known.some(({ id }) => id === info.uuid) ? known : [...known, { id: info.uuid, name: info.name, provider }],
      );
    };
    window.addEventListener('eip6963:announceProvider', add);
    window.dispatchEvent(new Event('eip6963:requestProvider'));
    return () => window.removeEventListener('eip6963:announceProvider', add);
  }, []);
  const { ethereum } = window as { ethereum?: Provider };
  if (announced.length > 0 || !ethereum) return announced;
  return [{ id: 'injected', name: 'Browser wallet', provider: ethereum }];
}

/** The accounts that the wallet lets this page use, in its own order; the person is asked. */
export async function requestAccounts({ provider }: Wallet): Promise<string[]> {
  return (await provider.request({ method: 'eth_requestAccounts' })) as string[];
}

/** Has an account sign typed data (EIP-712), on the network that it is for. */
export async function signTypedData(wallet: Wallet, account: string, chainId: number, typedData: unknown): Promise<string> {
  await requireChain(wallet, chainId);
  return (await wallet.provider.request({ method: 'eth_signTypedData_v4', params: [account, JSON.stringify(typedData)] })) as string;
}

/** Has an account send a call, and pay for it. Returns the hash of the transaction. */
export async function sendCall(wallet: Wallet, account: string, chainId: number, call: { to: string; data: string }): Promise<string> {
  await requireChain(wallet, chainId);
  const transaction = { from: account, to: call.to, data: call.data, value: '0x0' };
  return (await wallet.provider.request({ method: 'eth_sendTransaction', params: [transaction] })) as string;
}

/** What went wrong in a wallet, in a sentence. */
export function walletError(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === rejectedByUser) return 'You declined in the wallet. Nothing was signed or sent.';
  if (code === unknownChain) return 'The wallet does not know this network: add it there first.';
  return typeof message === 'string' ? message : 'The wallet gave no answer.';
}

/** Wallets sign for the network that is chosen in them alone. */
async function requireChain({ provider }: Wallet, chainId: number): Promise<void> {
  const chainIdInHex = `0x${chainId.toString(16)}`;
  const present = (await provider.request({ method: 'eth_chainId' })) as string;
  if (Number(present) === chainId) return;
  await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: chainIdInHex }] });
  const switched = (await provider.request({ method: 'eth_chainId' })) as string;
  if (Number(switched) !== chainId) throw new Error(`The wallet is on network ${Number(switched)}, and this is for network ${chainId}.`);
}
