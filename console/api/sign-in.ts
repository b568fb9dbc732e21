import { api } from './client.ts';
import { post } from './request.ts';

/** Signs in by password and the code of an authenticator app. Throws ApiError. */
export async function signInByPassword(input: { name: string; password: string; code: string }): Promise<void> {
  await post('/api/sign-in/password', input);
}

/** Signs in by a passkey of this device. Throws ApiError, and a DOMException when the operator stops. */
export async function signInByPasskey(): Promise<void> {
  const { options, state } = await post<{ options: PublicKeyCredentialRequestOptionsJSON; state: string }>(
    '/api/sign-in/passkey/options',
    {},
  );
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  await post('/api/sign-in/passkey', { state, credential: credential.toJSON() });
}

/** Signs in by a link that is valid once: that of the sandbox. Throws ApiError. */
export async function signInByLink(secret: string): Promise<void> {
  await api['sign-in'].link.$post({ json: { secret } });
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await api['sign-out'].$post({}, { headers: { 'content-type': 'application/json' } });
}
