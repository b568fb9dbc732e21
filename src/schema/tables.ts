// Written by `npm run schema` from src/schema/*.sql.
import type { Generated, GeneratedAlways } from 'kysely';
import type { AuthMethod, ComparisonName, Counterpart, DefaultJson, DefaultTime, DeliveryAttempt, Json, NullableJson, NullableNumeric, NullableTime, Numeric, Permission, StoredItem, Time, VerificationDocument } from './column-types.ts';
import type { PostalAddress } from '../platform/settings/postal-address.ts';
import type { Currency, MinorUnits } from '../platform/money.ts';
import type { Chain } from '../platform/chains.ts';
import type { LowerAddress } from '../platform/addresses.ts';
import type { BankRecall } from '../bank/recall.ts';
import type { Party } from '../bank/credit.ts';

/** The tables of the ledger. */
export interface LedgerTables {
  // operators.sql
  operators: {
    name: string;
    id: Generated<string>;
    role: 'viewer' | 'reviewer' | 'treasurer' | 'administrator';
    createdAt: DefaultTime;
    disabledAt: NullableTime;
  };
  operatorInvitations: {
    operator: string;
    hash: Buffer;
    createdAt: DefaultTime;
    expiresAt: Time;
    codeMaker: string | null;
    codeHash: Buffer | null;
  };
  approvals: {
    id: Generated<string>;
    action: string;
    input: string;
    description: string;
    digest: Buffer;
    state: Generated<'waiting' | 'approved' | 'refused' | 'withdrawn' | 'expired' | 'done' | 'failed'>;
    requestedBy: string;
    requestedAt: DefaultTime;
    expiresAt: Time;
    decidedBy: string | null;
    decidedAt: NullableTime;
    note: string | null;
    attempts: Generated<number>;
    leasedUntil: NullableTime;
    result: string | null;
    errorCode: string | null;
    errorMessage: string | null;
    endedAt: NullableTime;
  };
  bankUploads: {
    file: string;
    operator: string;
    bytes: bigint;
    begunAt: DefaultTime;
    approval: string | null;
  };

  // access.sql
  users: {
    id: string;
    email: string;
    name: string;
    defaultProfile: string | null;
    createdAt: DefaultTime;
    emailVerifiedAt: NullableTime;
  };
  applications: {
    id: string;
    kind: 'authorization_code' | 'whitelabel' | 'private';
    name: string;
    secretHash: Buffer | null;
    owner: string;
    disabledAt: NullableTime;
    createdAt: DefaultTime;
    redirectUris: Generated<string[]>;
    privacyPolicyUrl: string | null;
    termsUrl: string | null;
    permissions: Generated<Permission[]>;
    approvedAt: NullableTime;
    isConfidential: Generated<boolean>;
    refreshNeedsSecret: Generated<boolean>;
    origins: Generated<string[]>;
    secretSetAt: DefaultTime;
    secretStolenSince: NullableTime;
    previousSecretHash: Buffer | null;
    previousSecretUntil: NullableTime;
  };
  consents: {
    userId: string;
    application: string;
    permissions: Permission[];
    grantedAt: DefaultTime;
    lastUsedAt: NullableTime;
  };
  grants: {
    id: string;
    application: string;
    userId: string;
    authMethod: AuthMethod | null;
    authSubject: string | null;
    authChain: Chain | null;
    madeAt: DefaultTime;
    refreshedAt: NullableTime;
    endsAt: DefaultTime;
    endedAt: NullableTime;
    distrustedAt: NullableTime;
    keptUntil: DefaultTime;
  };
  authorizationCodes: {
    hash: Buffer;
    grantId: string;
    redirectUri: string;
    codeChallenge: string;
    expiresAt: Time;
    usedAt: NullableTime;
  };
  accessTokens: {
    hash: Buffer;
    grantId: string;
    expiresAt: Time;
  };
  refreshTokens: {
    hash: Buffer;
    grantId: string;
    expiresAt: Time;
    usedAt: NullableTime;
  };
  messageNonces: {
    address: LowerAddress;
    purpose: 'sign-in' | 'link';
    nonce: string;
    expiresAt: Time;
  };
  passwords: {
    id: Generated<string>;
    userId: string | null;
    operator: string | null;
    hash: string;
    updatedAt: DefaultTime;
    setBy: 'sign-up' | 'invitation' | 'change' | 'reset';
  };
  sessions: {
    hash: Buffer;
    userId: string | null;
    operator: string | null;
    createdAt: DefaultTime;
    expiresAt: Time;
    id: Generated<string>;
    lastUsedAt: DefaultTime;
    browser: Generated<string>;
    network: Generated<string>;
    endedAt: NullableTime;
    provedAt: NullableTime;
  };
  knownDevices: {
    hash: Buffer;
    userId: string;
    expiresAt: Time;
  };
  signInTries: {
    subject: string;
    tries: number;
    until: Time;
    blockedUntil: NullableTime;
  };
  signInFailures: {
    kind: 'user' | 'operator';
    subject: string;
    factor: 'password' | 'code' | 'passkey' | 'invitation';
    hour: Time;
    failures: number;
  };
  passkeys: {
    id: Generated<string>;
    userId: string | null;
    operator: string | null;
    credentialId: string;
    publicKey: Buffer;
    counter: bigint;
    transports: string[];
    isSynchronised: boolean;
    name: string;
    createdAt: DefaultTime;
    lastUsedAt: NullableTime;
    counterRegressedAt: NullableTime;
  };
  webauthnChallenges: {
    holder: Buffer;
    purpose: 'register' | 'sign-in' | 'second-factor' | 'proof';
    userId: string | null;
    operator: string | null;
    challenge: string;
    expiresAt: Time;
  };
  totpSeeds: {
    id: Generated<string>;
    userId: string | null;
    operator: string | null;
    seed: string;
    createdAt: DefaultTime;
    activatedAt: NullableTime;
    lastStep: bigint | null;
  };
  recoveryCodes: {
    hash: Buffer;
    userId: string | null;
    operator: string | null;
    number: number;
    usedAt: NullableTime;
  };
  pendingSignIns: {
    browser: Buffer;
    userId: string;
    expiresAt: Time;
  };
  emailCodes: {
    browser: Buffer;
    purpose: 'sign-up' | 'reset';
    email: string;
    codeHash: Buffer;
    name: string | null;
    passwordHash: string | null;
    attempts: Generated<number>;
    expiresAt: Time;
  };
  mailedCodes: {
    recipient: string;
    purpose: 'sign-up' | 'reset' | 'no-account';
    salt: Buffer;
    mails: number;
    until: Time;
  };
  mails: {
    id: string;
    recipient: string;
    content: string;
    attempts: Generated<number>;
    createdAt: DefaultTime;
    dueAt: DefaultTime;
    expiresAt: Time;
    correlationId: string | null;
    network: string | null;
    turn: Generated<number>;
    codePurpose: 'sign-up' | 'reset' | 'no-account' | null;
  };

  // customers.sql
  profiles: {
    id: string;
    kind: 'personal' | 'corporate';
    name: string;
    state: 'created' | 'incomplete' | 'pending' | 'approved' | 'rejected';
    owner: string | null;
    application: string | null;
    createdAt: DefaultTime;
    correlationId: string | null;
  };
  profileSections: {
    profile: string;
    section: 'details' | 'form';
    state: 'incomplete' | 'pending' | 'approved' | 'rejected';
    data: NullableJson<Record<string, unknown>>;
    draft: NullableJson<Record<string, unknown>>;
    updatedAt: DefaultTime;
  };
  profileVerifications: {
    profile: string;
    kind: string;
    person: Generated<string>;
    state: 'incomplete' | 'pending' | 'approved' | 'rejected';
    documents: DefaultJson<VerificationDocument[]>;
    updatedAt: DefaultTime;
  };
  profileShares: {
    profile: string;
    provider: string;
    familyName: string;
    requestedAt: DefaultTime;
    correlationId: string | null;
  };
  profileReviews: {
    id: Generated<string>;
    profile: string;
    decision: 'approved' | 'rejected' | 'incomplete';
    reason: string | null;
    errors: NullableJson<{ field: string; reason: string }[]>;
    decidedBy: string;
    correlationId: string | null;
    decidedAt: DefaultTime;
  };
  files: {
    id: string;
    application: string | null;
    uploadedBy: string;
    name: string;
    type: string;
    size: number;
    hash: string;
    createdAt: DefaultTime;
    updatedAt: DefaultTime;
    storedAt: NullableTime;
    usedAt: NullableTime;
  };
  addresses: {
    address: LowerAddress;
    profile: string;
  };
  addressLinks: {
    address: LowerAddress;
    chain: Chain;
    linkedBy: string;
    linkedAt: DefaultTime;
    proof: Generated<'sentence on chain' | 'sentence' | 'message'>;
    onHostedPages: Generated<boolean>;
    linkedThrough: Generated<string[]>;
  };
  releasedAddresses: {
    address: LowerAddress;
    profile: string;
  };
  ibans: {
    id: Generated<string>;
    profile: string;
    iban: string | null;
    bic: string | null;
    address: LowerAddress;
    chain: Chain;
    state: Generated<'requested' | 'pending' | 'approved' | 'rejected' | 'closed'>;
    emailNotifications: Generated<boolean>;
    createdAt: DefaultTime;
    correlationId: string | null;
  };
  quotaUsage: {
    quota: 'profiles' | 'files' | 'user_files';
    owner: string;
    count: Generated<bigint>;
    bytes: Generated<bigint>;
  };

  // orders.sql
  orderIdSecret: {
    secret: Generated<Buffer>;
  };
  orders: {
    id: string;
    kind: 'issue' | 'redeem';
    profile: string;
    address: LowerAddress;
    chain: Chain;
    currency: 'eur' | 'usd' | 'gbp' | 'isk';
    amount: MinorUnits;
    counterpart: Json<Counterpart>;
    memo: string;
    referenceNumber: string | null;
    message: string | null;
    signature: string | null;
    state: Generated<'placed' | 'pending' | 'processed' | 'rejected'>;
    placedAt: DefaultTime;
    processedAt: NullableTime;
    rejectedReason: string | null;
    supportingDocument: string | null;
    txHashes: Generated<string[]>;
    correlationId: string | null;
    digest: string | null;
    sourceOrder: string | null;
    requestHash: Buffer | null;
    givesBack: string | null;
    rejectedAt: NullableTime;
    heldSince: NullableTime;
    heldFor: 'gas_budget' | 'dust' | null;
    heldUntil: NullableTime;
  };
  openOrders: {
    id: string;
    profile: string;
    state: 'placed' | 'pending';
    placedAt: Time;
    address: LowerAddress;
    isDependent: boolean;
  };
  signatureRequests: {
    id: Generated<string>;
    kind: 'order' | 'linkAddress';
    profile: string;
    chain: Chain;
    address: LowerAddress;
    digest: string;
    signature: string;
    draft: Json<Record<string, unknown>>;
    orderId: string | null;
    state: Generated<'pending' | 'valid' | 'invalid' | 'expired'>;
    reason: string | null;
    correlationId: string | null;
    createdAt: DefaultTime;
    decidedAt: NullableTime;
    checkAt: DefaultTime;
    contestedSince: NullableTime;
    publicId: GeneratedAlways<string | null>;
  };

  // lanes.sql
  transactions: {
    id: Generated<string>;
    chain: Chain;
    signer: LowerAddress;
    nonce: bigint;
    currency: Currency | null;
    kind: 'issue' | 'redeem' | 'cancel';
    gasLimit: bigint;
    state: Generated<'sent' | 'mined' | 'settled' | 'reverted' | 'lost'>;
    hash: string | null;
    blockNumber: bigint | null;
    gasUsed: bigint | null;
    sentAtBlock: bigint;
    createdAt: DefaultTime;
    minedAt: NullableTime;
    blockHash: string | null;
    firstSentAtBlock: bigint | null;
    refusals: Generated<number>;
    refusedSinceBlock: bigint | null;
  };
  transactionAttempts: {
    hash: string;
    transaction: string;
    raw: string | null;
    maxFeePerGas: Numeric;
    maxPriorityFeePerGas: Numeric;
    createdAt: DefaultTime;
    position: number;
  };
  legHistory: {
    id: Generated<string>;
    orderId: string;
    kind: 'issue' | 'redeem' | 'payout' | 'return';
    position: number;
    chain: Chain | null;
    currency: Currency;
    account: LowerAddress | null;
    amount: MinorUnits;
    signedBy: Generated<'nobody' | 'key' | 'contract'>;
    createdAt: DefaultTime;
    outcome: 'done' | 'refused' | 'void' | null;
    doneAt: NullableTime;
    token: LowerAddress | null;
    sequence: bigint | null;
    transaction: string | null;
    txHash: string | null;
    blockNumber: bigint | null;
    reason: string | null;
  };
  openLegs: {
    id: string;
    orderId: string;
    kind: 'issue' | 'redeem' | 'payout' | 'return';
    position: number;
    chain: Chain | null;
    currency: Currency;
    account: LowerAddress | null;
    amount: MinorUnits;
    signedBy: 'nobody' | 'key' | 'contract';
    createdAt: Time;
    state: 'waiting' | 'ready' | 'sent';
    claimedBy: LowerAddress | null;
    token: LowerAddress | null;
    sequence: bigint | null;
    transaction: string | null;
    afterBlock: bigint | null;
    batchLimit: Generated<number>;
    loneReverts: Generated<number>;
    heldUntil: NullableTime;
    heldFor: 'gas_budget' | 'dust' | null;
    dueAt: DefaultTime;
    claimState: GeneratedAlways<'waiting' | 'ready' | 'claimed' | 'held' | 'failing' | 'sent'>;
    turn: GeneratedAlways<string | null>;
  };
  legFailures: {
    id: Generated<string>;
    leg: string;
    outcome: 'reverted' | 'lost' | 'cancelled' | 'refused' | 'number_used';
    transaction: string | null;
    txHash: string | null;
    blockNumber: bigint | null;
    reason: string | null;
    at: DefaultTime;
    alone: Generated<boolean>;
  };
  redemptionSums: {
    account: LowerAddress;
    chain: Chain;
    currency: Currency;
    side: 'placed' | 'ended';
    amount: MinorUnits;
  };
  accountBackoffs: {
    chain: Chain;
    account: LowerAddress;
    failures: number;
    untilBlock: bigint | null;
  };
  gasSpending: {
    chain: Chain;
    profile: string;
    day: string;
    wei: Numeric;
  };
  signerAmounts: {
    chain: Chain;
    signer: LowerAddress;
    resource: 'gas' | Currency;
    day: string;
    amount: Numeric;
    used: Numeric;
  };
  tokenSequences: {
    chain: Chain;
    token: LowerAddress;
    next: Generated<bigint>;
  };
  tokenOpenings: {
    chain: Chain;
    token: LowerAddress;
    currency: Currency;
    block: bigint;
    supply: MinorUnits;
    openedAt: DefaultTime;
  };
  networks: {
    chain: Chain;
    chainId: bigint;
    genesisHash: string;
    seenAt: DefaultTime;
  };
  heartbeats: {
    component: string;
    chain: Generated<Chain | ''>;
    facts: Json<Record<string, unknown>>;
    seenAt: DefaultTime;
    instance: Generated<string>;
    version: string;
  };
  indexOwners: {
    tablesSchema: string;
    run: string;
    runBefore: string | null;
    seenAt: DefaultTime;
  };
  indexRebuilds: {
    chain: Chain;
    indexName: string;
    number: Generated<number>;
    damage: string;
    holdsBalances: boolean;
    inARow: Generated<number>;
    foundAt: DefaultTime;
    endedAt: NullableTime;
  };

  // book.sql
  entries: {
    id: Generated<string>;
    kind: string;
    source: string;
    bookedOn: string;
    at: DefaultTime;
  };
  postings: {
    entry: string;
    position: number;
    account: string;
    currency: string;
    amount: MinorUnits;
    bookedOn: string;
  };
  balanceChanges: {
    id: GeneratedAlways<bigint>;
    account: string;
    currency: string;
    bookedOn: string;
    debited: Numeric;
    credited: Numeric;
  };
  balances: {
    account: string;
    currency: string;
    debited: Numeric;
    credited: Numeric;
  };
  accountDays: {
    account: string;
    currency: string;
    day: string;
    debited: Numeric;
    credited: Numeric;
  };
  comparisons: {
    comparison: ComparisonName;
    currency: string;
    account: string;
    chain: Chain | '';
    expected: Numeric;
    actual: Numeric;
    items: Json<StoredItem[]>;
    difference: Numeric;
    comparedAt: DefaultTime;
  };
  reserveBreaches: {
    id: Generated<string>;
    currency: string;
    difference: Numeric;
    foundAt: DefaultTime;
    acknowledgedAt: NullableTime;
    acknowledgedBy: string | null;
    comparison: Generated<ComparisonName>;
    chain: Generated<Chain | ''>;
    account: Generated<string>;
    reason: string | null;
    items: NullableJson<StoredItem[]>;
    endedAt: NullableTime;
  };
  reserveSamples: {
    step: 'minute' | 'hour';
    takenAt: Time;
    currency: string;
    bank: MinorUnits;
    underWay: MinorUnits;
    circulation: Json<Record<string, string>>;
  };

  // bank.sql
  bankFiles: {
    hash: Buffer;
    name: string;
    message: string;
    report: Json<unknown>;
    importedAt: DefaultTime;
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
    bookedOn: string | null;
    source: string;
    state: 'matched' | 'unmatched' | 'returned' | 'replaced' | 'settled' | 'repeated' | 'reversed';
    orderId: string | null;
    reason: string | null;
    railReason: string | null;
    entryReference: string | null;
    entryAmount: NullableNumeric;
    facts: NullableJson<unknown>;
    receivedAt: DefaultTime;
    returnedAt: NullableTime;
    bankAccount: string;
    isAwaited: Generated<boolean>;
    statedAs: string | null;
    awaitsDebit: Generated<boolean>;
    settledAs: 'own' | 'difference' | 'return' | 'claim' | 'debit' | null;
    settledAt: NullableTime;
    addedByOperator: MinorUnits | null;
    uetr: string | null;
    message: string | null;
    matchedBecause: string | null;
    restOf: string | null;
    repeats: string | null;
  };
  paymentFiles: {
    id: Generated<string>;
    name: string;
    content: string;
    writtenAt: NullableTime;
    createdAt: DefaultTime;
  };
  payments: {
    id: Generated<string>;
    kind: 'payout' | 'return';
    leg: string | null;
    credit: string | null;
    currency: Currency;
    amount: MinorUnits;
    creditorName: string;
    creditorIban: string;
    creditorCountry: string | null;
    creditorAddress: NullableJson<PostalAddress>;
    remittance: string | null;
    structuredReference: string | null;
    state: Generated<'ready' | 'sent' | 'accepted' | 'refused' | 'returned'>;
    file: string | null;
    bankStatus: string | null;
    reason: string | null;
    createdAt: DefaultTime;
    sentAt: NullableTime;
    decidedAt: NullableTime;
    bankStatusAt: NullableTime;
    bankAccount: string | null;
    bookedOn: string | null;
    cameBackBy: string | null;
    returnedAt: NullableTime;
  };
  recalls: {
    id: string;
    amount: MinorUnits | null;
    currency: string | null;
    endToEndId: string | null;
    uetr: string | null;
    numbers: string[];
    facts: Json<BankRecall>;
    source: string;
    receivedAt: DefaultTime;
    answer: 'accepted' | 'refused' | null;
    reason: string | null;
    credit: string | null;
    answeredBy: string | null;
    answeredAt: NullableTime;
    undoneBecause: string | null;
    undoneBy: string | null;
  };
  unknownPaymentStatuses: {
    payment: string;
    verdict: 'executed' | 'refused' | 'open';
    code: string;
    reason: string;
    reportedAt: DefaultTime;
    setAside: string | null;
    setAsideBy: string | null;
  };
  bankDebits: {
    reference: string;
    entryReference: string | null;
    replacedFrom: string | null;
    account: string;
    currency: string;
    amount: MinorUnits | null;
    bookedOn: string;
    payee: DefaultJson<Party>;
    remittance: string | null;
    endToEndId: string | null;
    uetr: string | null;
    source: string;
    state: 'payment' | 'reversal' | 'unexplained' | 'explained' | 'replaced';
    payment: string | null;
    morePayments: string[] | null;
    paymentFile: string | null;
    problem: string | null;
    hold: 'suspected_repeat' | 'reference_conflict' | 'details_differ' | null;
    explainedAs: 'fee' | 'interest' | 'own' | 'payment' | 'return-of' | 'reversal-of' | 'undone-by' | 'repeat-of' | null;
    returnedCredit: string | null;
    explanation: string | null;
    explainedBy: string | null;
    explainedAt: NullableTime;
    receivedAt: DefaultTime;
    takesBack: string | null;
    undoneBy: string | null;
    reversalsUndone: Generated<number>;
    lastUndoneCredit: string | null;
    lastUndoReason: string | null;
    lastUndoneBy: string | null;
    keptOf: string | null;
    repeats: string[] | null;
  };
  bankDocuments: {
    id: Generated<string>;
    writtenAccount: string;
    account: string;
    kind: string;
    name: string;
    created: string | null;
    page: number | null;
    isLastPage: boolean;
    fromOn: string | null;
    closedOn: string | null;
    balances: Json<unknown>;
    statements: string[];
    importedAt: DefaultTime;
  };
  bankReports: {
    id: GeneratedAlways<bigint>;
    document: string;
    entry: number;
    line: number;
    account: string;
    currency: string | null;
    amount: MinorUnits | null;
    bookedOn: string | null;
    number: string | null;
    entryNumber: string | null;
    entryName: string | null;
    entryTotal: NullableNumeric;
    entryCount: number | null;
    charges: MinorUnits | null;
    entryCharges: MinorUnits | null;
    isSum: boolean;
    uetr: string | null;
    reference: string;
    entryReference: string | null;
    facts: Json<unknown>;
    isDebit: GeneratedAlways<boolean>;
  };
  reportMoney: {
    report: bigint;
    credit: string | null;
    debit: string | null;
    isFirst: boolean;
    isPinned: Generated<boolean>;
  };
  reversals: {
    reference: string;
    debit: string;
    credit: string;
    amount: MinorUnits;
    isPart: Generated<boolean>;
    countsWith: string | null;
  };
  claims: {
    reversal: string;
    credit: string;
    currency: string;
    amount: MinorUnits;
    recovered: Generated<MinorUnits>;
    state: 'pending' | 'open' | 'void' | 'recovered' | 'written_off';
    reason: string | null;
    createdAt: DefaultTime;
    endedAt: NullableTime;
  };
  bankStatements: {
    id: Generated<string>;
    account: string;
    currency: string;
    number: string;
    sequence: bigint | null;
    fromOn: string | null;
    closedOn: string;
    opening: MinorUnits | null;
    closing: MinorUnits | null;
    opened: Generated<MinorUnits>;
    missingPage: number | null;
    gap: string | null;
    gapAcceptedAt: NullableTime;
    gapAcceptedBy: string | null;
    gapReason: string | null;
    file: Buffer | null;
    importedAt: DefaultTime;
  };
  bankBookings: {
    entry: string;
    account: string;
    currency: string;
    amount: MinorUnits;
    bookedOn: string;
    source: string;
    statement: string | null;
    inOpening: Generated<boolean>;
  };

  // webhooks.sql
  events: {
    id: Generated<string>;
    type: string;
    profile: string;
    subject: string;
    data: Json<Record<string, unknown>>;
    correlationId: string | null;
    createdAt: DefaultTime;
    sequence: GeneratedAlways<bigint>;
    position: bigint | null;
  };
  webhookSubscriptions: {
    id: string;
    application: string;
    url: string;
    origin: GeneratedAlways<string>;
    types: string[];
    state: Generated<'active' | 'inactive' | 'deleted'>;
    inactiveReason: string | null;
    pausedUntil: NullableTime;
    secret: string | null;
    previousSecret: string | null;
    previousSecretUntil: NullableTime;
    createdAt: DefaultTime;
    updatedAt: DefaultTime;
  };
  webhookDeliveries: {
    id: Generated<string>;
    subscription: string;
    event: string;
    type: string;
    subject: string;
    sequence: bigint;
    state: Generated<'pending' | 'delivered' | 'failed' | 'cancelled'>;
    attempts: Generated<number>;
    ageBeginsAt: NullableTime;
    nextAttemptAt: DefaultTime;
    lease: string | null;
    lastStatus: number | null;
    lastError: string | null;
    lastDuration: number | null;
    history: DefaultJson<DeliveryAttempt[]>;
    createdAt: DefaultTime;
    endedAt: NullableTime;
  };

  // recovery.sql
  unrecordedOutcomes: {
    id: Generated<string>;
    chain: Chain;
    kind: 'issue' | 'redeem';
    token: LowerAddress;
    currency: Currency;
    orderId: string;
    account: LowerAddress;
    amount: Numeric;
    sequence: NullableNumeric;
    digest: string | null;
    message: string | null;
    signature: string | null;
    refused: string | null;
    txHash: string;
    blockNumber: bigint;
    state: Generated<'open' | 'applied' | 'set_aside'>;
    reason: string | null;
    decidedBy: string | null;
    foundAt: DefaultTime;
    decidedAt: NullableTime;
  };
  outcomeAudits: {
    chain: Chain;
    block: bigint;
    comparedAt: NullableTime;
  };
  recoveries: {
    id: Generated<string>;
    beganAt: DefaultTime;
    beganBy: string;
    endedAt: NullableTime;
    endedBy: string | null;
  };

  // safes.sql
  safeTransactions: {
    id: Generated<string>;
    chain: Chain;
    currency: Currency;
    token: LowerAddress;
    safe: LowerAddress;
    safeVersion: string;
    nonce: bigint;
    callTo: LowerAddress;
    callData: `0x${string}`;
    hash: `0x${string}`;
    block: bigint;
    reason: string | null;
    preparedBy: string;
    preparedAt: DefaultTime;
    state: Generated<'open' | 'scheduled' | 'executed' | 'replaced' | 'cancelled' | 'withdrawn'>;
    executionHash: string | null;
    executionBlock: bigint | null;
    readyAt: NullableTime;
    endedAt: NullableTime;
  };
  safeSignatures: {
    transaction: string;
    signer: LowerAddress;
    data: `0x${string}`;
    addedBy: string;
    addedAt: DefaultTime;
  };

  // swap.sql
  swapQuotes: {
    id: Generated<string>;
    nonce: GeneratedAlways<bigint>;
    chain: Chain;
    settlement: LowerAddress;
    maker: LowerAddress;
    profile: string;
    taker: LowerAddress;
    takerToken: LowerAddress;
    makerToken: LowerAddress;
    takerAmount: Numeric;
    makerAmount: Numeric;
    expiry: Time;
    correlationId: string | null;
    createdAt: DefaultTime;
  };

  // requests.sql
  idempotencyKeys: {
    id: Buffer;
    fingerprint: Buffer;
    makes: Generated<string>;
    claimedUntil: Time;
    status: number | null;
    contentType: string | null;
    body: string | null;
    createdAt: DefaultTime;
  };
  rateLimits: {
    key: string;
    points: number;
    expire: number | null;
  };

  // audit.sql
  auditLog: {
    id: Generated<string>;
    at: DefaultTime;
    actorKind: 'application' | 'user' | 'operator' | 'system';
    actor: string;
    action: string;
    subjectKind: string;
    subject: string;
    correlationId: string | null;
    detail: DefaultJson<Record<string, unknown>>;
  };
}
