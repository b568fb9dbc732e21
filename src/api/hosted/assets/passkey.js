// Asks the browser for a passkey (WebAuthn), a new one or a signature of one, and sends its answer as the form around the button.
const button = document.getElementById('passkey');
const problem = document.getElementById('passkey-problem');
const form = button.closest('form');

button.hidden = false;
// Enter in a field of the form asks for the passkey too.
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void ask();
});

async function ask() {
  problem.hidden = true;
  button.disabled = true;
  try {
    if (!window.PublicKeyCredential) throw new Error('This browser knows no passkeys.');
    const options = JSON.parse(button.dataset.options);
    const credential = button.dataset.ceremony === 'create' ? await create(options) : await get(options);
    form.elements.answer.value = JSON.stringify(credential);
    form.submit();
  } catch (error) {
    problem.textContent = texts[error.name] ?? error.message;
    problem.hidden = false;
    button.disabled = false;
  }
}

// What the browser's errors mean (WebAuthn, section 5.1).
const texts = {
  NotAllowedError: 'No passkey was used. You can try again.',
  InvalidStateError: 'This device has a passkey for this account already.',
  SecurityError: 'Passkeys do not work at this address.',
};

async function create(options) {
  const excludeCredentials = options.excludeCredentials.map((known) => ({ ...known, id: bytes(known.id) }));
  const user = { ...options.user, id: bytes(options.user.id) };
  const publicKey = { ...options, challenge: bytes(options.challenge), user, excludeCredentials };
  const credential = await navigator.credentials.create({ publicKey });
  const { clientDataJSON, attestationObject } = credential.response;
  const transports = credential.response.getTransports?.() ?? [];
  return describe(credential, { clientDataJSON: text(clientDataJSON), attestationObject: text(attestationObject), transports });
}

async function get(options) {
  const allowCredentials = options.allowCredentials.map((known) => ({ ...known, id: bytes(known.id) }));
  const publicKey = { ...options, challenge: bytes(options.challenge), allowCredentials };
  const credential = await navigator.credentials.get({ publicKey });
  const { clientDataJSON, authenticatorData, signature } = credential.response;
  const [data, authenticator] = [text(clientDataJSON), text(authenticatorData)];
  return describe(credential, { clientDataJSON: data, authenticatorData: authenticator, signature: text(signature) });
}

function describe({ id, rawId, type }, response) {
  return { id, rawId: text(rawId), type, clientExtensionResults: {}, response };
}

// Base64url, as the server reads and writes it.
function bytes(encoded) {
  return Uint8Array.from(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
}

function text(buffer) {
  const encoded = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return encoded.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
