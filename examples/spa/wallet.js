/** The account of the browser's wallet (EIP-1193), after the user has allowed it. */
export async function connectWallet() {
  if (!window.ethereum) throw new Error('There is no wallet in this browser.');
  const [account] = await window.ethereum.request({ method: 'eth_requestAccounts' });
  return account;
}

/** The signature of a text by an account of the wallet, which shows the text to the user. */
export function signText(text, account) {
  const hex = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return window.ethereum.request({ method: 'personal_sign', params: [`0x${hex}`, account] });
}
