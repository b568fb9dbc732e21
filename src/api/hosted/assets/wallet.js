// Asks a browser wallet (EIP-1193) for an account and for its signature of the message of the page, and sends all as a form.
const button = document.getElementById('wallet');
const problem = document.getElementById('wallet-problem');
const form = button.closest('form');

button.hidden = false;
button.addEventListener('click', () => void sign());

async function sign() {
  problem.hidden = true;
  // The browser says that a chain is to be chosen.
  if (!form.reportValidity()) return;
  button.disabled = true;
  try {
    if (!window.ethereum) throw new Error('There is no wallet in this browser. Install one, or link an address later.');
    const [account] = await window.ethereum.request({ method: 'eth_requestAccounts' });
    const message = button.dataset.message.replace('{address}', account).replace('{chain}', form.elements.chain.value);
    const signature = await window.ethereum.request({ method: 'personal_sign', params: [hex(message), account] });
    form.elements.address.value = account;
    form.elements.message.value = message;
    form.elements.signature.value = signature;
    form.submit();
  } catch (error) {
    // 4001: the user said no (EIP-1193, Provider errors).
    problem.textContent = error.code === 4001 ? 'You did not sign. You can try again, or link an address later.' : error.message;
    problem.hidden = false;
    button.disabled = false;
  }
}

function hex(text) {
  return `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
