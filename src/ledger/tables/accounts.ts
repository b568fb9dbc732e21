import type { ColumnType } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Default, NullableTime, Time } from './columns.ts';

/** What a user lets an application do. */
export type Permission = 'read' | 'write';
/** What was done when a password was stored. */
export type PasswordOrigin = 'sign-up' | 'change' | 'reset';
/** Where something was done: a browser by name and system, and the network address that it came from. */
export interface SignInSource {
  browser: string;
  network: string;
}
/** How a user proved who they are: by a password, or by the signature of a linked address (docs/api.md, User context). */
export type AuthMethod = 'password' | 'resource';

/** An access or refresh token. */
interface TokenRow {
  hash: Buffer;
  application: string;
  userId: string;
  family: string;
  expiresAt: Time;
  authMethod: ColumnType<AuthMethod | null, AuthMethod | null | undefined, AuthMethod | null>;
  authSubject: ColumnType<string | null, string | null | undefined, string | null>;
}

/** Tables of the people who sign in, and of applications. */
export interface AccountTables {
  users: { id: string; email: string; name: string; defaultProfile: string | null; createdAt: Time; emailVerifiedAt: NullableTime };
  applications: {
    id: string;
    kind: 'authorization_code' | 'whitelabel' | 'private';
    name: string;
    secretHash: Buffer | null;
    secretSetAt: Default<Date>;
    owner: string;
    disabledAt: NullableTime;
    createdAt: Time;
    redirectUris: Default<string[]>;
    privacyPolicyUrl: ColumnType<string | null, string | null | undefined, string | null>;
    termsUrl: ColumnType<string | null, string | null | undefined, string | null>;
    permissions: Default<Permission[]>;
    origins: Default<string[]>;
    approvedAt: NullableTime;
    isConfidential: Default<boolean>;
  };
  passwords: { userId: string; hash: string; updatedAt: Time; setBy: Default<PasswordOrigin> };
  sessions: {
    hash: Buffer;
    id: Default<string>;
    userId: string;
    createdAt: Time;
    lastUsedAt: Time;
    provedAt: Time;
    expiresAt: Time;
    endedAt: NullableTime;
    browser: Default<string>;
    network: Default<string>;
  };
  signInFailures: { userId: string; hour: Time; failures: number };
  emailCodes: {
    browser: Buffer;
    purpose: 'sign-up' | 'reset';
    email: string;
    codeHash: Buffer;
    name: string | null;
    passwordHash: string | null;
    attempts: Default<number>;
    expiresAt: Time;
  };
  mails: {
    id: string;
    recipient: string;
    content: string;
    attempts: Default<number>;
    createdAt: Time;
    dueAt: Time;
    expiresAt: Time;
    correlationId: Default<string | null>;
  };
  signInTries: { subject: string; tries: number; until: Time; blockedUntil: Time | null };
  knownDevices: { hash: Buffer; userId: string; expiresAt: Time };
  consents: { userId: string; application: string; permissions: Permission[]; grantedAt: Time; lastUsedAt: NullableTime };
  passkeys: {
    id: Default<string>;
    userId: string;
    credentialId: string;
    publicKey: Buffer;
    counter: bigint;
    transports: string[];
    isSynchronised: boolean;
    name: string;
    createdAt: Time;
    lastUsedAt: NullableTime;
    counterRegressedAt: NullableTime;
  };
  webauthnChallenges: { browser: Buffer; purpose: 'register' | 'sign-in' | 'second-factor' | 'proof'; challenge: string; expiresAt: Time };
  totpSeeds: { userId: string; seed: string; createdAt: Time; activatedAt: NullableTime; lastStep: bigint | null };
  recoveryCodes: { hash: Buffer; userId: string; number: number; usedAt: NullableTime };
  pendingSignIns: { browser: Buffer; userId: string; expiresAt: Time };
  authorizationCodes: {
    hash: Buffer;
    application: string;
    userId: string;
    redirectUri: string;
    codeChallenge: string;
    authMethod: AuthMethod;
    authSubject: string;
    family: string;
    expiresAt: Time;
    usedAt: NullableTime;
  };
  siweNonces: { address: LowerAddress; nonce: string; expiresAt: Time };
  accessTokens: TokenRow;
  refreshTokens: TokenRow & { usedAt: NullableTime; familyEndsAt: Time };
}
