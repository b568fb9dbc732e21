import type { ColumnType } from 'kysely';
import type { Default, NullableTime, Time } from './columns.ts';

/** What an operator may do in the console: see; decide about customers; handle money; everything (docs/console.md, Roles). */
export type OperatorRole = 'viewer' | 'reviewer' | 'treasurer' | 'administrator';

/** The state of an approval (docs/console.md, Actions). */
export type ApprovalState = 'waiting' | 'approved' | 'refused' | 'withdrawn' | 'expired' | 'done' | 'failed';

/** What somebody got wrong who wanted to sign in. */
export type OperatorFactor = 'password' | 'code' | 'passkey' | 'invitation';

/** Tables of the people who sign in to the console, and of what a second one of them has to approve. */
export interface OperatorTables {
  operators: { name: string; id: Default<string>; role: OperatorRole; createdAt: Time; disabledAt: NullableTime };
  operatorInvitations: {
    operator: string;
    hash: Buffer;
    createdAt: Time;
    expiresAt: Time;
    codeMaker: ColumnType<string | null, string | null | undefined, string | null>;
    codeHash: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>;
  };
  operatorSignInFailures: { operator: string; factor: OperatorFactor; hour: Time; failures: number };
  operatorPasswords: { operator: string; hash: string; updatedAt: Time };
  operatorSessions: {
    hash: Buffer;
    id: Default<string>;
    operator: string;
    createdAt: Time;
    lastUsedAt: Time;
    expiresAt: Time;
    endedAt: NullableTime;
    provenAt: NullableTime;
    browser: Default<string>;
    network: Default<string>;
  };
  operatorPasskeys: {
    id: Default<string>;
    operator: string;
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
  operatorTotpSeeds: { operator: string; seed: string; createdAt: Time; activatedAt: NullableTime; lastStep: bigint | null };
  operatorRecoveryCodes: { hash: Buffer; operator: string; number: number; usedAt: NullableTime };
  operatorChallenges: { hash: Buffer; operator: string | null; challenge: string; expiresAt: Time };
  bankUploads: {
    file: string;
    operator: string;
    bytes: number;
    begunAt: Time;
    approval: ColumnType<string | null, string | null | undefined, string>;
  };
  approvals: {
    id: Default<string>;
    action: string;
    input: string;
    description: string;
    digest: Buffer;
    state: Default<ApprovalState>;
    requestedBy: string;
    requestedAt: Time;
    expiresAt: Time;
    decidedBy: ColumnType<string | null, string | null | undefined, string | null>;
    decidedAt: NullableTime;
    note: ColumnType<string | null, string | null | undefined, string | null>;
    attempts: Default<number>;
    leasedUntil: NullableTime;
    result: ColumnType<string | null, string | null | undefined, string | null>;
    errorCode: ColumnType<string | null, string | null | undefined, string | null>;
    errorMessage: ColumnType<string | null, string | null | undefined, string | null>;
    endedAt: NullableTime;
  };
}
