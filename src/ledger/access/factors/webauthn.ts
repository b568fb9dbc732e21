import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

/** Loaded by the first passkey: with all that it knows about certificates it is 300 modules, and a tenth of what an API or a console takes to load. */
const library = () => import('@simplewebauthn/server');

/** To whom passkeys belong (WebAuthn, section 5.1.2). */
export interface RelyingParty {
  /** Scheme, host and port of the pages. */
  origin: string;
  name: string;
}

/** A passkey as the browser is asked for it. */
export interface KnownCredential {
  credentialId: string;
  transports: string[];
}

/** A registered credential, as it is kept. */
export interface RegisteredCredential extends KnownCredential {
  /** COSE key (RFC 9052). */
  publicKey: Uint8Array;
  /** The authenticator's count of signatures; 0 when it does not count. */
  counter: number;
  /** Whether it may exist on several devices. */
  isSynchronised: boolean;
}

/** Those of all authenticators in use: ES256, EdDSA and RS256 (RFC 9053). */
const algorithms = [-7, -8, -257] as const;

/** Asks a browser to register a passkey: discoverable, and with user verification, so that it can replace the password. `id` is a UUID. */
export async function registrationOptions(
  party: RelyingParty,
  { id, account, name, known }: { id: string; account: string; name: string; known: readonly KnownCredential[] },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: party.name,
    rpID: rpId(party),
    userID: userHandle(id),
    userName: account,
    userDisplayName: name,
    attestationType: 'none',
    supportedAlgorithmIDs: [...algorithms],
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** The credential that a browser's answer, which is JSON, registers for a challenge; `undefined` when it is not valid. */
export async function verifyRegistration(
  party: RelyingParty,
  challenge: string,
  answer: string,
): Promise<RegisteredCredential | undefined> {
  const { verifyRegistrationResponse } = await library();
  const registered = await verified(() =>
    verifyRegistrationResponse({
      response: JSON.parse(answer) as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: rpId(party),
      requireUserVerification: true,
      supportedAlgorithmIDs: [...algorithms],
    }),
  );
  if (registered?.verified !== true) return undefined;
  const { credential, credentialDeviceType } = registered.registrationInfo;
  const { id: credentialId, publicKey, counter, transports = [] } = credential;
  return { credentialId, publicKey, counter, transports: [...transports], isSynchronised: credentialDeviceType === 'multiDevice' };
}

/** Asks a browser for a passkey: one of those that are known, or any when there are none. */
export async function assertionOptions(
  party: RelyingParty,
  known: readonly KnownCredential[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: rpId(party),
    allowCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    userVerification: 'required',
  });
}

/** The credential that a browser's answer, which is JSON, names; `undefined` when it is none. */
export function credentialIdOf(answer: string): string | undefined {
  try {
    const { id } = JSON.parse(answer) as Partial<AuthenticationResponseJSON>;
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The authenticator's count of signatures when a browser's answer, which is JSON, is the signature of a challenge by a key; else `undefined`. Whoever
 * accepts it compares the count with the last: only then it says something about the passkey.
 */
export async function verifyAssertion(
  party: RelyingParty,
  { challenge, answer, credentialId, publicKey }: { challenge: string; answer: string; credentialId: string; publicKey: Uint8Array },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library();
  const signed = await verified(() =>
    verifyAuthenticationResponse({
      response: JSON.parse(answer) as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: rpId(party),
      requireUserVerification: true,
      credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: 0 },
    }),
  );
  return signed?.verified === true ? signed.authenticationInfo.newCounter : undefined;
}

/** The library throws on everything that a browser of ours would not send. */
async function verified<T>(check: () => Promise<T>): Promise<T | undefined> {
  try {
    return await check();
  } catch {
    return undefined;
  }
}

/** The host of the pages: a passkey works on no other. */
function rpId({ origin }: RelyingParty): string {
  return new URL(origin).hostname;
}

/** The bytes of an id, which says nothing about the person (WebAuthn, section 14.6.1). */
function userHandle(id: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(id.replaceAll('-', ''), 'hex'));
}
