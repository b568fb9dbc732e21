import type { ColumnType } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Default, NullableTime, Time } from './columns.ts';

/** A file that proves a fact about a profile (docs/api.md, Verifications). */
export interface VerificationDocument {
  fileId: string;
  kind?: string | undefined;
  side?: string | undefined;
}
/** Whether a profile is that of a person or of a company. */
export type ProfileKind = 'personal' | 'corporate';
/** The state of a profile (docs/api.md, Profiles). */
export type ProfileState = 'created' | 'incomplete' | 'pending' | 'approved' | 'rejected';
/** State of the details, the form or a verification of a profile. */
export type SectionState = Exclude<ProfileState, 'created'>;

/** Tables of profiles, their addresses, IBANs and files. */
export interface CustomerTables {
  profiles: {
    id: string;
    kind: ProfileKind;
    name: string;
    state: ProfileState;
    owner: string | null;
    application: string | null;
    correlationId: Default<string | null>;
    createdAt: Time;
  };
  profileSections: {
    profile: string;
    section: 'details' | 'form';
    state: SectionState;
    data: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
    updatedAt: Time;
  };
  profileVerifications: {
    profile: string;
    kind: string;
    person: Default<string>;
    state: SectionState;
    documents: ColumnType<VerificationDocument[], string | undefined, string>;
    updatedAt: Time;
  };
  profileDrafts: { profile: string; data: ColumnType<Record<string, unknown>, string, string>; updatedAt: Time };
  profileShares: { profile: string; provider: string; familyName: string; requestedAt: Time; correlationId: Default<string | null> };
  profileReviews: {
    id: Default<string>;
    profile: string;
    decision: 'approved' | 'rejected' | 'incomplete';
    reason: string | null;
    errors: ColumnType<{ field: string; reason: string }[] | null, string | null | undefined, never>;
    decidedBy: string;
    correlationId: string | null;
    decidedAt: Time;
  };
  addresses: { address: LowerAddress; profile: string };
  addressLinks: {
    address: LowerAddress;
    chain: Chain;
    linkedBy: string;
    linkedAt: Time;
    proof: Default<'sentence' | 'message'>;
    onHostedPages: Default<boolean>;
    linkedThrough: Default<string[]>;
  };
  linkNonces: { address: LowerAddress; nonce: string; expiresAt: Time };
  ibans: {
    id: Default<string>;
    profile: string;
    iban: string | null;
    bic: string | null;
    address: LowerAddress;
    chain: Chain;
    state: Default<'requested' | 'pending' | 'approved' | 'rejected' | 'closed'>;
    emailNotifications: Default<boolean>;
    correlationId: Default<string | null>;
    createdAt: Time;
  };
  quotaUsage: { quota: 'profiles' | 'files' | 'user_files'; owner: string; count: Default<bigint>; bytes: Default<bigint> };
  files: {
    id: string;
    /** `null` for a file that a user uploaded on the hosted pages. */
    application: string | null;
    uploadedBy: string;
    name: string;
    type: string;
    size: number;
    hash: string;
    createdAt: Time;
    updatedAt: Time;
    /** `null` while the content is on its way into the storage or out of it. */
    storedAt: NullableTime;
    /** When the first order or verification named it. */
    usedAt: NullableTime;
  };
}
