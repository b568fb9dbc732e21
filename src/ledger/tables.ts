import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { Chain } from '../platform/chains.ts';
import type { Party } from '../bank/credit.ts';
import type { LowerAddress } from '../platform/addresses.ts';
import type { Currency, MinorUnits } from '../platform/money.ts';

type Default<T> = Generated<T>;
type Time = ColumnType<Date, Date | string | undefined, Date | string>;
type NullableTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
type Json<T> = ColumnType<T, string, string>;

/** The payee or payer of an order, as the API shows it (docs/api.md, Counterpart). */
export interface Counterpart {
  identifier:
    | {
        standard: 'iban';
        /** Missing in orders of payers without an IBAN that were placed before there was `account`. */
        iban?: string;
      }
    | AccountIdentifier
    | { standard: 'chain'; address: LowerAddress; chain: Chain };
  details: Record<string, unknown>;
}

/** A payer's account that has no valid IBAN, as far as the bank identifies it. */
export interface AccountIdentifier extends Pick<Party, 'accountNumber' | 'bic' | 'clearingSystem' | 'clearingCode'> {
  standard: 'account';
}

/** A file that proves a fact about a profile (docs/api.md, Verifications). */
export interface VerificationDocument {
  fileId: string;
  kind?: string | undefined;
  side?: string | undefined;
}

/** The state of an order; `processed` and `rejected` are final (docs/architecture.md, Orders). */
export type OrderState = 'placed' | 'pending' | 'processed' | 'rejected';
/** The movement of a leg: `issue` and `redeem` happen on a chain, `payout` at the bank or as a dependent order, `return` at the bank. */
export type LegKind = 'issue' | 'redeem' | 'payout' | 'return';
/** The state of a leg; `waiting` for a signature or an earlier leg, `ready` to be sent, `void` because the leg before it was refused. */
export type LegState = 'waiting' | 'ready' | 'sent' | 'done' | 'refused' | 'void';
/** Whose signature authorises a leg: that of the account's key, that of its contract, or none. */
export type LegSigner = 'nobody' | 'key' | 'contract';
/**
 * The state of a credit; `replaced` by the transactions it consists of, which a later report lists; `settled` when it is neither an order nor
 * a return; `repeated` when it is another report of a recorded credit; `reversed` when the bank took it back before it was an order or a return.
 */
export type CreditState = 'matched' | 'unmatched' | 'returned' | 'replaced' | 'settled' | 'repeated' | 'reversed';
/** The state of a payment; `returned` when its money came back after the bank had carried it out. `refused` and `returned` are final. */
export type PaymentState = 'ready' | 'sent' | 'accepted' | 'refused' | 'returned';
/**
 * What a settled credit was: the operator's own money, the counterpart of an unexplained debit, a return of ours that came back, or money that
 * makes a claim good.
 */
export type SettledAs = 'own' | 'difference' | 'return' | 'claim';
/** The state of a claim; `pending` until it is known whether the money went on, `void` when it did not. */
export type ClaimState = 'pending' | 'open' | 'void' | 'recovered' | 'written_off';
/** A way in which the book is compared with what is not derived from it (docs/book.md, Comparisons). */
export type ComparisonName = 'states' | 'index' | 'nodes' | 'bank';
/** A part of a difference that is explained; the amount is in minor units, in decimal digits. */
export interface StoredItem {
  text: string;
  amount: string;
}
/** Whether a profile is that of a person or of a company. */
export type ProfileKind = 'personal' | 'corporate';
/** The state of a profile (docs/api.md, Profiles). */
export type ProfileState = 'created' | 'incomplete' | 'pending' | 'approved' | 'rejected';
/** State of the details, the form or a verification of a profile. */
export type SectionState = Exclude<ProfileState, 'created'>;
/** The state of a webhook subscription; only an `active` one is sent deliveries. */
export type SubscriptionState = 'active' | 'inactive' | 'deleted';
/** The state of a webhook delivery; only a `pending` one is attempted. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled';
/** The state of a transaction; `lost` when another transaction used its nonce. */
export type TransactionState = 'sent' | 'mined' | 'settled' | 'reverted' | 'lost';

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

/** An attempt to deliver an event: the HTTP status of the answer, or the error when there was none. `duration` is in milliseconds. */
export interface DeliveryAttempt {
  at: string;
  status?: number;
  error?: string;
  duration: number;
}

interface TokenRow {
  hash: Buffer;
  application: string;
  userId: string;
  family: string;
  expiresAt: Time;
  authMethod: ColumnType<AuthMethod | null, AuthMethod | null | undefined, AuthMethod | null>;
  authSubject: ColumnType<string | null, string | null | undefined, string | null>;
}

/** The ledger's tables as the migrations make them; a test compares the two. */
export interface LedgerTables {
  users: { id: string; email: string; name: string; defaultProfile: string | null; createdAt: Time; emailVerifiedAt: NullableTime };
  applications: {
    id: string;
    kind: 'authorization_code' | 'whitelabel' | 'private';
    name: string;
    secretHash: Buffer | null;
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
  accessTokens: TokenRow;
  refreshTokens: TokenRow & { usedAt: NullableTime; familyEndsAt: Time };
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
  orders: {
    id: string;
    kind: 'issue' | 'redeem';
    profile: string;
    address: LowerAddress;
    chain: Chain;
    currency: Currency;
    amount: MinorUnits;
    counterpart: Json<Counterpart>;
    memo: string;
    referenceNumber: string | null;
    message: string | null;
    signature: string | null;
    state: Default<OrderState>;
    placedAt: Time;
    processedAt: NullableTime;
    rejectedAt: NullableTime;
    rejectedReason: string | null;
    supportingDocument: string | null;
    txHashes: Default<string[]>;
    correlationId: string | null;
    digest: string | null;
    sourceOrder: string | null;
    requestHash: Buffer | null;
    /** The order whose payout came back; this order gives its tokens back. */
    givesBack: Default<string | null>;
  };
  transactions: {
    id: Default<string>;
    chain: Chain;
    signer: LowerAddress;
    nonce: bigint;
    /** Null for `cancel`. */
    currency: Currency | null;
    kind: 'issue' | 'redeem' | 'cancel';
    gasLimit: bigint;
    state: Default<TransactionState>;
    hash: string | null;
    blockNumber: bigint | null;
    blockHash: string | null;
    gasUsed: bigint | null;
    /** Of its newest attempt. */
    sentAtBlock: bigint;
    /** Null is `sentAtBlock`. */
    firstSentAtBlock: bigint | null;
    refusals: Default<number>;
    refusedSinceBlock: bigint | null;
    createdAt: Time;
    minedAt: NullableTime;
  };
  transactionAttempts: {
    hash: string;
    transaction: string;
    /** 0 for the first attempt. */
    position: number;
    /** `null` some time after the transaction has ended. */
    raw: string | null;
    maxFeePerGas: ColumnType<string, bigint | string, never>;
    maxPriorityFeePerGas: ColumnType<string, bigint | string, never>;
    createdAt: Time;
  };
  legs: {
    id: Default<string>;
    orderId: string;
    kind: LegKind;
    position: number;
    chain: Chain | null;
    currency: Currency;
    account: LowerAddress | null;
    amount: MinorUnits;
    state: LegState;
    claimedBy: LowerAddress | null;
    token: LowerAddress | null;
    sequence: bigint | null;
    transaction: string | null;
    txHash: string | null;
    blockNumber: bigint | null;
    reason: string | null;
    createdAt: Time;
    /** Since when it could be carried out; a retry after a failure does not change it. */
    dueAt: Time;
    doneAt: NullableTime;
    afterBlock: bigint | null;
    /** Whose signature authorises it: a redemption's account, by its key or its contract. */
    signedBy: Default<LegSigner>;
    /** Most legs of a batch that carries it, after a batch with it reverted; 0 before. */
    batchLimit: Default<number>;
    /** Batches of it alone that reverted for no known reason. */
    loneReverts: Default<number>;
    /** The gas budget of its profile is used up until then. */
    heldUntil: NullableTime;
  };
  legFailures: {
    id: Default<string>;
    leg: string;
    outcome: 'reverted' | 'lost' | 'cancelled' | 'refused' | 'number_used';
    transaction: string | null;
    txHash: string | null;
    blockNumber: bigint | null;
    reason: string | null;
    at: Time;
    /** Whether the reverted transaction carried no other leg. */
    alone: Default<boolean>;
  };
  accountBackoffs: { chain: Chain; account: LowerAddress; failures: number; untilBlock: bigint | null };
  profileGas: { chain: Chain; profile: string; day: ColumnType<string, string, string>; gas: bigint };
  tokenOpenings: { chain: Chain; token: LowerAddress; currency: Currency; block: bigint; supply: MinorUnits; openedAt: Time };
  unrecordedOutcomes: {
    id: Default<string>;
    chain: Chain;
    kind: 'issue' | 'redeem';
    token: LowerAddress;
    currency: Currency;
    orderId: string;
    account: LowerAddress;
    /** Minor units in decimal digits: a forged amount exceeds every amount of the ledger. */
    amount: string;
    /** Decimal digits: the contract counts further than the ledger. */
    sequence: string | null;
    digest: string | null;
    message: string | null;
    signature: string | null;
    refused: string | null;
    txHash: string;
    blockNumber: bigint;
    state: Default<'open' | 'applied' | 'set_aside'>;
    reason: string | null;
    decidedBy: string | null;
    foundAt: Time;
    decidedAt: NullableTime;
  };
  unknownPaymentStatuses: {
    payment: string;
    verdict: 'executed' | 'refused' | 'open';
    code: string;
    reason: string;
    reportedAt: Time;
    setAside: Default<string | null>;
    setAsideBy: Default<string | null>;
  };
  outcomeAudits: { chain: Chain; block: bigint; comparedAt: NullableTime };
  recoveries: { id: Default<string>; beganAt: Time; beganBy: string; endedAt: NullableTime; endedBy: Default<string | null> };
  tokenSequences: { chain: Chain; token: LowerAddress; next: Default<bigint> };
  networks: { chain: Chain; chainId: bigint; genesisHash: string; seenAt: Time };
  heartbeats: {
    component: string;
    chain: Default<Chain | ''>;
    instance: Default<string>;
    facts: Json<Record<string, unknown>>;
    seenAt: Time;
  };
  credits: {
    reference: string;
    iban: string | null;
    currency: string | null;
    amount: MinorUnits | null;
    payer: Json<Party>;
    remittance: string | null;
    structuredReference: string | null;
    endToEndId: string | null;
    bookedOn: ColumnType<string | null, string | null | undefined, string | null>;
    source: string;
    state: CreditState;
    orderId: string | null;
    reason: string | null;
    railReason: string | null;
    entryReference: string | null;
    entryAmount: ColumnType<string | null, string | null | undefined, string | null>;
    isSum: Default<boolean>;
    uetr: string | null;
    message: string | null;
    repeats: string | null;
    facts: ColumnType<unknown, string | null | undefined, string | null>;
    receivedAt: Time;
    returnedAt: NullableTime;
    /** On which the bank booked it: an IBAN or another id, or `sandbox`. */
    bankAccount: string;
    /** The reference that it had before it was replaced. */
    replacedFrom: string | null;
    settledAs: Default<SettledAs | null>;
    settledAt: NullableTime;
    /** What the operator adds to a payment that came back; negative for what remains of it. */
    addedByOperator: Default<MinorUnits | null>;
    /** Whether an operator has to return it by hand, and no debit of the bank is known as that yet. */
    awaitsDebit: Default<boolean>;
  };
  entries: { id: Default<string>; kind: string; source: string; bookedOn: ColumnType<string, string, never>; at: Time };
  postings: {
    entry: string;
    position: number;
    account: string;
    currency: string;
    amount: MinorUnits;
    bookedOn: ColumnType<string, string, never>;
  };
  balanceChanges: {
    id: GeneratedAlways<bigint>;
    account: string;
    currency: string;
    bookedOn: ColumnType<string, string, never>;
    debited: string;
    credited: string;
  };
  balances: { account: string; currency: string; debited: string; credited: string };
  accountDays: { account: string; currency: string; day: ColumnType<string, string, never>; debited: string; credited: string };
  bankStatements: {
    id: Default<string>;
    account: string;
    currency: string;
    number: string;
    sequence: bigint | null;
    fromOn: ColumnType<string | null, string | null, string | null>;
    closedOn: ColumnType<string, string, string>;
    opening: MinorUnits | null;
    closing: MinorUnits | null;
    opened: Default<MinorUnits>;
    gap: string | null;
    gapAcceptedAt: NullableTime;
    gapAcceptedBy: string | null;
    gapReason: string | null;
    /** Null within its import. */
    file: Buffer | null;
    importedAt: Time;
  };
  bankBookings: {
    entry: string;
    account: string;
    currency: string;
    amount: MinorUnits;
    bookedOn: ColumnType<string, string, never>;
    source: string;
    statement: string | null;
  };
  bankDebits: {
    reference: string;
    entryReference: string | null;
    replacedFrom: string | null;
    listedAs: string | null;
    isSum: Default<boolean>;
    account: string;
    currency: string;
    amount: MinorUnits;
    bookedOn: ColumnType<string, string, never>;
    payee: ColumnType<Party, string, never>;
    remittance: string | null;
    endToEndId: string | null;
    uetr: string | null;
    source: string;
    state: 'payment' | 'reversal' | 'unexplained' | 'explained' | 'replaced';
    payment: string | null;
    paymentFile: string | null;
    problem: string | null;
    explainedAs: 'fee' | 'interest' | 'own' | 'payment' | 'return-of' | 'reversal-of' | 'undone-by' | 'repeat-of' | null;
    returnedCredit: string | null;
    /** What the bank says of a debit that takes a credit back. */
    takesBack: string | null;
    /** How often an operator undid that it took a credit back; which one the last time, why, and who. */
    reversalsUndone: Default<number>;
    lastUndoneCredit: string | null;
    lastUndoReason: string | null;
    lastUndoneBy: string | null;
    /** The credit by which the bank undid it. */
    undoneBy: string | null;
    /** The debit that it is a second report of. */
    repeats: string | null;
    explanation: string | null;
    explainedBy: string | null;
    explainedAt: NullableTime;
    receivedAt: Time;
  };
  reversals: {
    /** The debit's reference, with a number behind it where the debit takes several credits back. */
    reference: string;
    debit: string;
    credit: string;
    amount: MinorUnits;
    /** Whether it takes back less than the credit. */
    isPart: Default<boolean>;
  };
  claims: {
    /** The reversal by which the bank took the credit, or a part of it, back. */
    reversal: string;
    credit: string;
    currency: string;
    amount: MinorUnits;
    recovered: Default<MinorUnits>;
    state: ClaimState;
    reason: string | null;
    createdAt: Time;
    endedAt: NullableTime;
  };
  bankFiles: { hash: Buffer; name: string; message: string; report: Json<unknown>; importedAt: Time };
  events: {
    id: Default<string>;
    type: string;
    profile: string;
    subject: string;
    data: Json<Record<string, unknown>>;
    correlationId: string | null;
    createdAt: Time;
    sequence: Default<bigint>;
    position: ColumnType<bigint | null, bigint | null | undefined, bigint | null>;
  };
  webhookSubscriptions: {
    id: Default<string>;
    application: string;
    url: string;
    origin: ColumnType<string, never, never>;
    types: string[];
    state: Default<SubscriptionState>;
    secret: string | null;
    previousSecret: ColumnType<string | null, string | null | undefined, string | null>;
    previousSecretUntil: NullableTime;
    createdAt: Time;
    updatedAt: Time;
  };
  webhookDeliveries: {
    id: Default<string>;
    subscription: string;
    event: string;
    type: string;
    subject: string;
    sequence: bigint;
    state: Default<DeliveryState>;
    attempts: Default<number>;
    firstAttemptAt: NullableTime;
    nextAttemptAt: Time;
    lease: ColumnType<string | null, string | null | undefined, string | null>;
    lastStatus: ColumnType<number | null, number | null | undefined, number | null>;
    lastError: ColumnType<string | null, string | null | undefined, string | null>;
    lastDuration: ColumnType<number | null, number | null | undefined, number | null>;
    history: ColumnType<DeliveryAttempt[], string | undefined, string>;
    createdAt: Time;
    endedAt: NullableTime;
  };
  signatureRequests: {
    id: Default<string>;
    kind: 'order' | 'linkAddress';
    profile: string;
    chain: Chain;
    address: LowerAddress;
    digest: string;
    signature: string;
    draft: Json<Record<string, unknown>>;
    orderId: string | null;
    state: Default<'pending' | 'valid' | 'invalid' | 'expired'>;
    reason: string | null;
    correlationId: string | null;
    createdAt: Time;
    decidedAt: NullableTime;
    signedAfter: NullableTime;
    checkAt: Time;
    /** What clients know the request by. */
    publicId: GeneratedAlways<string | null>;
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
  paymentFiles: { id: Default<string>; name: string; content: string; writtenAt: NullableTime; createdAt: Time };
  payments: {
    id: Default<string>;
    kind: 'payout' | 'return';
    leg: string | null;
    credit: string | null;
    currency: Currency;
    amount: MinorUnits;
    creditorName: string;
    creditorIban: string;
    creditorCountry: string | null;
    remittance: string | null;
    structuredReference: string | null;
    state: Default<PaymentState>;
    file: string | null;
    bankStatus: string | null;
    reason: string | null;
    createdAt: Time;
    sentAt: NullableTime;
    decidedAt: NullableTime;
    bankStatusAt: NullableTime;
    /** On which the bank has booked it, and when; null until it has. */
    bankAccount: string | null;
    bookedOn: ColumnType<string | null, string | null | undefined, string | null>;
    /** The credit by which the money of a `returned` payment came back. */
    cameBackBy: Default<string | null>;
    returnedAt: NullableTime;
  };
  reserveBreaches: {
    id: Default<string>;
    comparison: Default<ComparisonName>;
    currency: string;
    account: Default<string>;
    chain: Default<Chain | ''>;
    difference: ColumnType<string, string, string>;
    foundAt: Time;
    acknowledgedAt: NullableTime;
    acknowledgedBy: string | null;
    reason: string | null;
    items: ColumnType<StoredItem[] | null, string | undefined, string>;
    endedAt: NullableTime;
  };
  comparisons: {
    comparison: ComparisonName;
    currency: string;
    account: string;
    chain: Chain | '';
    expected: string;
    actual: string;
    items: Json<StoredItem[]>;
    difference: string;
    comparedAt: Time;
  };
  idempotencyKeys: {
    id: Buffer;
    fingerprint: Buffer;
    makes: Default<string>;
    claimedUntil: Time;
    status: number | null;
    contentType: string | null;
    body: string | null;
    createdAt: Time;
  };
  swapQuotes: {
    id: Default<string>;
    nonce: Generated<bigint>;
    chain: Chain;
    settlement: LowerAddress;
    maker: LowerAddress;
    profile: string;
    taker: LowerAddress;
    takerToken: LowerAddress;
    makerToken: LowerAddress;
    takerAmount: ColumnType<string, bigint | string, never>;
    makerAmount: ColumnType<string, bigint | string, never>;
    expiry: Time;
    correlationId: string | null;
    createdAt: Time;
  };
  rateLimits: { key: string; points: number; expire: number | null };
  auditLog: {
    id: Default<string>;
    at: Time;
    actorKind: 'application' | 'user' | 'operator' | 'system';
    actor: string;
    action: string;
    subjectKind: string;
    subject: string;
    correlationId: string | null;
    detail: Json<Record<string, unknown>>;
  };
}
