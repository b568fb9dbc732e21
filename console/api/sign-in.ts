import { api } from './client.ts';
import { post } from './request.ts';

/** Signs in by password and the code of an authenticator app. Throws ApiError. */
export async function signInByPassword(input: { name: string; password: string; code: string }): Promise<void> {
  await post('/api/sign-in/password', input);
}

/** Signs in by a passkey of this device. Throws ApiError, and a DOMException when the operator stops. */
export async function signInByPasskey(): Promise<void> {
  await post('/api/sign-in/passkey', await askPasskey(await post('/api/sign-in/passkey/options', {})));
}

/** What a browser is asked for to use a passkey. */
interface PasskeyRequest {
  options: PublicKeyCredentialRequestOptionsJSON;
  state: string;
}

/** Has a passkey of this device sign a challenge of the console. Throws a DOMException when the operator stops. */
export async function askPasskey({ options, state }: PasskeyRequest) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  return { state, credential: credential.toJSON() as unknown };
}

/** Signs in by a link that is valid once: that of the sandbox. Throws ApiError. */
export async function signInByLink(secret: string): Promise<void> {
  await api['sign-in'].link.$post({ json: { secret } });
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await api['sign-out'].$post({}, { headers: { 'content-type': 'application/json' } });
}

/** Ends all sessions of the operator. */
export async function signOutEverywhere(): Promise<void> {
  await post('/api/sign-out/everywhere', {});
}

const invitationPath = '/api/invitation';

/** What somebody who is invited has: the secret of the link, and the code of an invitation that took two persons. */
export interface InvitationSecrets {
  token: string;
  invitationCode?: string;
}

/** Whom an invitation is for, whether its code is missing, and the seed of the authenticator app that would belong to a password. */
export interface Invitation {
  name: string;
  role: string;
  needsCode: boolean;
  totp: { seed: string; uri: string } | null;
}

/** What an accepted invitation comes with: each code signs in once. */
export interface AcceptedInvitation {
  recoveryCodes: string[];
}

/** Reads an invitation. Throws ApiError when it is not valid any more, or its code is wrong. */
export async function readInvitation(secrets: InvitationSecrets): Promise<Invitation> {
  return post(invitationPath, secrets);
}

/** Accepts an invitation by a password and a code of the app, and signs in. Throws ApiError. */
export async function acceptByPassword(input: InvitationSecrets & { password: string; code: string }): Promise<AcceptedInvitation> {
  return post(`${invitationPath}/password`, input);
}

/** Accepts an invitation by a passkey of this device, and signs in. Throws ApiError, and a DOMException when the operator stops. */
export async function acceptByPasskey(secrets: InvitationSecrets): Promise<AcceptedInvitation> {
  const begun = await post<PasskeyRegistration>(`${invitationPath}/passkey/options`, secrets);
  return post(`${invitationPath}/passkey`, { ...secrets, ...(await createPasskey(begun)) });
}

/** What a browser is asked for to register a passkey. */
interface PasskeyRegistration {
  options: PublicKeyCredentialCreationOptionsJSON;
  state: string;
}

/** Makes a passkey on this device. Throws a DOMException when the operator stops. */
export async function createPasskey({ options, state }: PasskeyRegistration) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  return { state, credential: credential.toJSON() as unknown, label: deviceName() };
}

/** What the passkey is called in the list of an operator's passkeys. */
function deviceName(): string {
  return /\(([^;)]+)/.exec(navigator.userAgent)?.[1]?.trim() || 'Passkey';
}
