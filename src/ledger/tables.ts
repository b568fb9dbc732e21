import type { ColumnType, Generated } from 'kysely';
import type { Currency } from '../platform/money.ts';

type Default<T> = Generated<T>;
type Time = ColumnType<Date, Date | string | undefined, Date | string>;
type NullableTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
type Json<T> = ColumnType<T, string, string>;

/** Where a payment goes to or comes from, as the wire shows it (docs/api.md, Counterpart). */
export interface Counterpart {
  identifier: { standard: 'iban'; iban?: string } | { standard: 'chain'; address: string; chain: string };
  details: Record<string, unknown>;
}

/** A file that proves something of a profile (docs/api.md, Verifications). */
export interface VerificationDocument {
  fileId: string;
  kind?: string | undefined;
  side?: string | undefined;
}

export type OrderState = 'placed' | 'pending' | 'processed' | 'rejected';
export type LegKind = 'issue' | 'redeem' | 'payout' | 'return';
export type LegState = 'waiting' | 'ready' | 'sent' | 'done' | 'refused';
export type CreditState = 'matched' | 'unmatched' | 'returned' | 'replaced';
export type PaymentState = 'ready' | 'sent' | 'accepted' | 'refused';
export type ProfileKind = 'personal' | 'corporate';
export type ProfileState = 'created' | 'incomplete' | 'pending' | 'approved' | 'rejected';
/** State of the details, the form or a verification of a profile. */
export type SectionState = Exclude<ProfileState, 'created'>;
export type SubscriptionState = 'active' | 'inactive' | 'deleted';
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled';
export type TransactionState = 'sent' | 'mined' | 'settled' | 'reverted' | 'lost';

/** What a user grants an application. */
export type Permission = 'read' | 'write';
/** How a user proved who they are: by a password, or by the signature of a linked address (docs/api.md, User context). */
export type AuthMethod = 'password' | 'resource';

/** One try to hand an event to a subscriber: the status that was answered, or why there was none. Milliseconds. */
export interface DeliveryAttempt {
  at: string;
  status?: number;
  error?: string;
  duration: number;
}

interface TokenRow {
  hash: Buffer;
  application: string;
  user_id: string;
  family: string;
  expires_at: Time;
  auth_method: ColumnType<AuthMethod | null, AuthMethod | null | undefined, AuthMethod | null>;
  auth_subject: ColumnType<string | null, string | null | undefined, string | null>;
}

/** The ledger's tables as the migrations make them; a test compares the two. */
export interface LedgerTables {
  users: { id: string; email: string; name: string; default_profile: string | null; created_at: Time };
  applications: {
    id: string;
    kind: 'authorization_code' | 'whitelabel' | 'private';
    name: string;
    secret_hash: Buffer | null;
    owner: string;
    disabled_at: NullableTime;
    created_at: Time;
    redirect_uris: Default<string[]>;
    privacy_policy_url: ColumnType<string | null, string | null | undefined, string | null>;
    terms_url: ColumnType<string | null, string | null | undefined, string | null>;
    permissions: Default<Permission[]>;
    approved_at: NullableTime;
  };
  profiles: {
    id: string;
    kind: ProfileKind;
    name: string;
    state: ProfileState;
    owner: string | null;
    application: string | null;
    created_at: Time;
  };
  profile_sections: {
    profile: string;
    section: 'details' | 'form';
    state: SectionState;
    data: ColumnType<Record<string, unknown> | null, string | null | undefined, string | null>;
    updated_at: Time;
  };
  profile_verifications: {
    profile: string;
    kind: string;
    person: Default<string>;
    state: SectionState;
    documents: ColumnType<VerificationDocument[], string | undefined, string>;
    updated_at: Time;
  };
  profile_shares: { profile: string; provider: string; family_name: string; requested_at: Time };
  profile_reviews: {
    id: Default<string>;
    profile: string;
    decision: 'approved' | 'rejected' | 'incomplete';
    reason: string | null;
    errors: ColumnType<{ field: string; reason: string }[] | null, string | null | undefined, never>;
    decided_by: string;
    correlation_id: string | null;
    decided_at: Time;
  };
  access_tokens: TokenRow;
  refresh_tokens: TokenRow & { used_at: NullableTime };
  passwords: { user_id: string; hash: string; updated_at: Time };
  sessions: { hash: Buffer; user_id: string; created_at: Time; expires_at: Time };
  sign_in_tries: { subject: string; tries: number; until: Time };
  consents: { user_id: string; application: string; permissions: Permission[]; granted_at: Time };
  authorization_codes: {
    hash: Buffer;
    application: string;
    user_id: string;
    redirect_uri: string;
    code_challenge: string;
    auth_method: AuthMethod;
    auth_subject: string;
    family: string;
    expires_at: Time;
    used_at: NullableTime;
  };
  siwe_nonces: { address: string; nonce: string; expires_at: Time };
  addresses: { address: string; profile: string };
  address_links: { address: string; chain: string; linked_by: string; linked_at: Time };
  ibans: {
    id: Default<string>;
    profile: string;
    iban: string | null;
    bic: string | null;
    address: string;
    chain: string;
    state: Default<'requested' | 'pending' | 'approved' | 'rejected' | 'closed'>;
    email_notifications: Default<boolean>;
    created_at: Time;
  };
  orders: {
    id: string;
    kind: 'issue' | 'redeem';
    profile: string;
    address: string;
    chain: string;
    currency: Currency;
    amount: bigint;
    counterpart: Json<Counterpart>;
    memo: string;
    reference_number: string | null;
    message: string | null;
    signature: string | null;
    state: Default<OrderState>;
    placed_at: Time;
    processed_at: NullableTime;
    rejected_reason: string | null;
    supporting_document: string | null;
    tx_hashes: Default<string[]>;
    correlation_id: string | null;
    digest: string | null;
    source_order: string | null;
    request_hash: Buffer | null;
  };
  transactions: {
    id: Default<string>;
    chain: string;
    signer: string;
    nonce: bigint;
    currency: Currency;
    kind: 'issue' | 'redeem';
    gas_limit: bigint;
    state: Default<TransactionState>;
    hash: string | null;
    block_number: bigint | null;
    gas_used: bigint | null;
    sent_at_block: bigint;
    created_at: Time;
    mined_at: NullableTime;
  };
  transaction_attempts: {
    hash: string;
    transaction: string;
    raw: string;
    max_fee_per_gas: ColumnType<string, bigint | string, never>;
    max_priority_fee_per_gas: ColumnType<string, bigint | string, never>;
    created_at: Time;
  };
  legs: {
    id: Default<string>;
    order_id: string;
    kind: LegKind;
    position: number;
    chain: string | null;
    currency: Currency;
    account: string | null;
    amount: bigint;
    state: LegState;
    claimed_by: string | null;
    token: string | null;
    sequence: bigint | null;
    transaction: string | null;
    tx_hash: string | null;
    block_number: bigint | null;
    reason: string | null;
    created_at: Time;
    done_at: NullableTime;
    after_block: bigint | null;
  };
  leg_failures: {
    id: Default<string>;
    leg: string;
    outcome: 'reverted' | 'lost' | 'refused';
    transaction: string | null;
    tx_hash: string | null;
    block_number: bigint | null;
    reason: string | null;
    at: Time;
  };
  token_sequences: { chain: string; token: string; next: Default<bigint> };
  parked_lanes: { chain: string; signer: string; scope: string; reason: string; since: Time };
  networks: { chain: string; chain_id: bigint; genesis_hash: string; seen_at: Time };
  heartbeats: { component: string; chain: Default<string>; facts: Json<Record<string, unknown>>; seen_at: Time };
  credits: {
    reference: string;
    iban: string | null;
    currency: string | null;
    amount: bigint | null;
    payer: Json<{ name?: string; iban?: string; address?: string }>;
    remittance: string | null;
    structured_reference: string | null;
    end_to_end_id: string | null;
    booked_on: ColumnType<string | null, string | null | undefined, string | null>;
    source: string;
    state: CreditState;
    order_id: string | null;
    reason: string | null;
    rail_reason: string | null;
    entry_reference: string | null;
    entry_amount: ColumnType<string | null, string | null | undefined, string | null>;
    is_sum: Default<boolean>;
    facts: ColumnType<unknown, string | null | undefined, string | null>;
    received_at: Time;
    returned_at: NullableTime;
  };
  bank_files: { hash: Buffer; name: string; message: string; report: Json<unknown>; imported_at: Time };
  events: {
    id: Default<string>;
    type: string;
    profile: string;
    subject: string;
    data: Json<Record<string, unknown>>;
    correlation_id: string | null;
    created_at: Time;
    sequence: Default<bigint>;
    position: ColumnType<bigint | null, bigint | null | undefined, bigint | null>;
  };
  webhook_subscriptions: {
    id: Default<string>;
    application: string;
    url: string;
    origin: ColumnType<string, never, never>;
    types: string[];
    state: Default<SubscriptionState>;
    secret: string | null;
    previous_secret: ColumnType<string | null, string | null | undefined, string | null>;
    previous_secret_until: NullableTime;
    created_at: Time;
    updated_at: Time;
  };
  webhook_deliveries: {
    id: Default<string>;
    subscription: string;
    event: string;
    type: string;
    subject: string;
    sequence: bigint;
    state: Default<DeliveryState>;
    attempts: Default<number>;
    first_attempt_at: NullableTime;
    next_attempt_at: Time;
    lease: ColumnType<string | null, string | null | undefined, string | null>;
    last_status: ColumnType<number | null, number | null | undefined, number | null>;
    last_error: ColumnType<string | null, string | null | undefined, string | null>;
    last_duration: ColumnType<number | null, number | null | undefined, number | null>;
    history: ColumnType<DeliveryAttempt[], string | undefined, string>;
    created_at: Time;
    ended_at: NullableTime;
  };
  signature_requests: {
    id: Default<string>;
    kind: 'order' | 'linkAddress';
    profile: string;
    chain: string;
    address: string;
    digest: string;
    signature: string;
    draft: Json<Record<string, unknown>>;
    order_id: string | null;
    state: Default<'pending' | 'valid' | 'invalid' | 'expired'>;
    reason: string | null;
    correlation_id: string | null;
    created_at: Time;
    decided_at: NullableTime;
  };
  files: {
    id: string;
    application: string;
    uploaded_by: string;
    name: string;
    type: string;
    size: number;
    hash: string;
    created_at: Time;
    updated_at: Time;
  };
  payment_files: { id: Default<string>; name: string; content: string; written_at: NullableTime; created_at: Time };
  payments: {
    id: Default<string>;
    kind: 'payout' | 'return';
    leg: string | null;
    credit: string | null;
    currency: Currency;
    amount: bigint;
    creditor_name: string;
    creditor_iban: string;
    creditor_country: string | null;
    remittance: string | null;
    structured_reference: string | null;
    state: Default<PaymentState>;
    file: string | null;
    bank_status: string | null;
    reason: string | null;
    created_at: Time;
    sent_at: NullableTime;
    decided_at: NullableTime;
    bank_status_at: NullableTime;
  };
  reserve_breaches: {
    id: Default<string>;
    currency: Currency;
    difference: bigint;
    found_at: Time;
    acknowledged_at: NullableTime;
    acknowledged_by: string | null;
  };
  idempotency_keys: {
    id: Buffer;
    fingerprint: Buffer;
    makes: Default<string>;
    claimed_until: Time;
    status: number | null;
    content_type: string | null;
    body: string | null;
    created_at: Time;
  };
  swap_quotes: {
    id: Default<string>;
    nonce: Generated<bigint>;
    chain: string;
    settlement: string;
    maker: string;
    profile: string;
    taker: string;
    taker_token: string;
    maker_token: string;
    taker_amount: ColumnType<string, bigint | string, never>;
    maker_amount: ColumnType<string, bigint | string, never>;
    expiry: Time;
    correlation_id: string | null;
    created_at: Time;
  };
  rate_limits: { key: string; points: number; expire: number | null };
  audit_log: {
    id: Default<string>;
    at: Time;
    actor_kind: 'application' | 'user' | 'operator' | 'system';
    actor: string;
    action: string;
    subject_kind: string;
    subject: string;
    correlation_id: string | null;
    detail: Json<Record<string, unknown>>;
  };
}
