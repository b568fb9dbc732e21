import { z } from 'zod';
import { type LowerAddress, lowerAddress } from './addresses.ts';
import { type Chain, chainFacts, chains } from './chains.ts';
import { StopError } from './errors.ts';
import { type Currency, currencySchema, type MinorUnits, parseAmount } from './money.ts';
import './validation-messages.ts';

const port = z.coerce.number().int().min(0).max(65535);
const quota = z.coerce.number().int().min(0).max(1_000_000_000);
/** 0, or at least so many days. */
const daysKept = (fewest: number) =>
  z.coerce
    .number()
    .int()
    .min(0)
    .max(36_525)
    .refine((days) => days === 0 || days >= fewest, `must be 0 or at least ${fewest}`);
const perMinute = z.coerce.number().int().min(0).max(1_000_000_000).optional();

/** The environment's variables, or others in their place. An empty variable counts as one that is not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of one process. This is the only place that names their environment variables; docs/settings.md and .env.example are made from it. */
export const settingsSchema = z.object({
  environment: variable(
    'MINTRAIL_ENVIRONMENT',
    '`sandbox` uses simulated money and adds the `/sandbox` endpoints; `npm start` sets it',
    z.enum(['production', 'sandbox']).default('production'),
  ),
  port: variable('PORT', 'port of the API', port.default(3000)),
  host: variable('HOST', 'address the API listens on', z.string().default('127.0.0.1')),
  baseUrl: variable(
    'BASE_URL',
    'public address of the API; the API and the common worker need it in production, and there by https. In the sandbox `http://localhost:PORT` by default',
    z.url().optional(),
  ),
  dataDir: variable(
    'MINTRAIL_DATA_DIR',
    'folder of uploaded files, and of the database and the chains of the sandbox',
    z.string().default('.mintrail'),
  ),
  databaseUrl: variable('DATABASE_URL', 'PostgreSQL 18; the sandbox brings its own', z.string().startsWith('postgres')),
  databaseDirectUrl: variable(
    'DATABASE_DIRECT_URL',
    'address of the same database that leads through no pooler. Where it is set, `DATABASE_URL` may be that of a pooler in transaction mode, and only what a connection keeps goes here: locks of lanes, notifications, migrations, indexers, queues in PostgreSQL',
    z.string().startsWith('postgres').optional(),
  ),
  databasePrepared: variable(
    'DATABASE_PREPARED',
    '`on` prepares statements that are repeated. By default `on`, and `off` where `DATABASE_DIRECT_URL` is set; a pooler that keeps prepared statements, as PgBouncer does from 1.21 with `max_prepared_statements`, allows `on`',
    z.enum(['on', 'off']).optional(),
  ),
  databasePoolSize: variable(
    'DATABASE_POOL',
    'most connections of a process to `DATABASE_URL`; docs/scaling.md counts those besides',
    z.coerce.number().int().min(2).default(10),
  ),
  secretsKey: variable(
    'SECRETS_KEY',
    'key that seals secrets in the database: the base64 of 32 bytes, better `file:PATH` of a file that holds it. The API and the common worker need it; `mintrail secrets generate-key` makes one',
    z.string().optional(),
  ),
  secretsKeysOld: variable(
    'SECRETS_KEYS_OLD',
    'earlier keys, comma separated, that still unseal until `mintrail secrets rotate` has run',
    z.string().default(''),
  ),
  redisUrl: variable('REDIS_URL', 'Redis for the queues; without it they live in PostgreSQL', z.string().startsWith('redis').optional()),
  smtpUrl: variable(
    'SMTP_URL',
    'mail server, `smtp://USER:PASSWORD@HOST:587` (STARTTLS) or `smtps://USER:PASSWORD@HOST:465`. The API and the common worker need it. Without it nobody can sign up or reset a password; a sandbox then catches mails in `MINTRAIL_DATA_DIR/mail`',
    z
      .string()
      // The value stays out of the message: it has a password.
      .refine((text) => isSmtpUrl(text), 'must be of the form smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT')
      .optional(),
  ),
  mailFrom: variable('MAIL_FROM', 'email address that mails come from; required with `SMTP_URL`', z.email().optional()),
  serviceName: variable('SERVICE_NAME', 'name of the service in its texts and in the default memo', z.string().default('Mintrail')),
  socialUrl: variable(
    'SOCIAL_URL',
    'page where people talk about the service; `GET /` names it as `twitter`, and is empty there without it',
    z.url().optional(),
  ),
  logLevel: variable(
    'LOG_LEVEL',
    'lowest level that is logged',
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  ),
  operators: variable(
    'OPERATORS',
    'names of the operators by the users of the system who call `mintrail`, comma separated: `deploy:anna,root:ben`. The audit log shows the names; in production `root` changes nothing without one (`--as NAME` says it for one command)',
    z.string().default('').transform(parseOperators),
  ),
  bankRail: variable(
    'BANK_RAIL',
    '`iso20022` exchanges files with a bank, `sandbox` simulates one, which production refuses',
    z.enum(['sandbox', 'iso20022']).default('iso20022'),
  ),
  bankInbox: variable('BANK_INBOX', 'folder watched for camt.053, camt.054, camt.052 and pain.002 files', z.string().optional()),
  bankIntraday: variable(
    'BANK_INTRADAY',
    'accounts, comma separated IBANs or numbers, or `all`, whose intraday reports (camt.052) serve as notifications: booked entries are applied, pending ones only counted',
    z.string().default('').transform(parseAccounts),
  ),
  bankOutbox: variable(
    'BANK_OUTBOX',
    'folder into which pain.001 files are written; the common worker needs it in production. Without it a sandbox keeps payments to the bank waiting',
    z.string().optional(),
  ),
  bankAccounts: variable(
    'BANK_ACCOUNT',
    'IBAN of the master account, from which payments are made and whose statements are read; several with their currencies: `eur:IBAN,gbp:IBAN`. The common worker needs it in production; without it a sandbox reads the statements of every account',
    z.string().default('').transform(parseBankAccounts),
  ),
  bankAccountName: variable(
    'BANK_ACCOUNT_NAME',
    'name of the holder of that account, as the bank knows it; the common worker needs it in production',
    z.string().min(1).optional(),
  ),
  bankFileSeconds: variable(
    'BANK_FILE_SECONDS',
    'seconds for which payments are collected into one file; a full file is written at once',
    z.coerce.number().min(0).default(60),
  ),
  bankOverdueDays: variable(
    'BANK_OVERDUE_DAYS',
    'bank days (Monday to Friday) within which the bank decides a payment; `mintrail status` names those that are older',
    z.coerce.number().int().min(1).max(30).default(3),
  ),
  bankStatementDays: variable(
    'BANK_STATEMENT_DAYS',
    'bank days (Monday to Friday) after which `mintrail status` warns that no statement of an account in `BANK_ACCOUNT` has come',
    z.coerce.number().int().min(1).max(60).default(3),
  ),
  bankBic: variable(
    'BANK_BIC',
    'BIC of the bank that holds the accounts; the common worker needs it in production. In a sandbox `MNTRIS22` by default',
    z
      .string()
      .regex(/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'is not a BIC of 8 or 11 characters')
      .optional(),
  ),
  bankIbanCountry: variable(
    'BANK_IBAN_COUNTRY',
    'country of the IBANs that are assigned; the common worker needs it in production. In a sandbox `IS` by default',
    z
      .string()
      .regex(/^[A-Z]{2}$/, 'is not a country code of two capital letters')
      .optional(),
  ),
  bankIbanPrefix: variable(
    'BANK_IBAN_PREFIX',
    'first characters of the account part of the IBANs that are assigned: the bank code and the fixed part of the range. The common worker needs it in production. In a sandbox `0159` by default',
    z
      .string()
      .regex(/^[A-Z0-9]+$/, 'is not of digits and capital letters')
      .optional(),
  ),
  clamdAddress: variable(
    'CLAMD_ADDRESS',
    'socket of a clamd that scans uploaded files, as a path or as `HOST:PORT`; without it they are not scanned for malware',
    z.string().optional(),
  ),
  filesS3Bucket: variable(
    'FILES_S3_BUCKET',
    'bucket for uploaded files; without it they are kept in `MINTRAIL_DATA_DIR/files`, which every copy of the API must see',
    z.string().optional(),
  ),
  filesS3Region: variable(
    'FILES_S3_REGION',
    'region of that bucket; its credentials come from the usual variables of AWS',
    z.string().default('us-east-1'),
  ),
  filesS3Endpoint: variable('FILES_S3_ENDPOINT', 'address of an S3 service other than that of AWS', z.url().optional()),
  siweResources: variable(
    'SIWE_RESOURCES',
    'URIs, comma separated, that stand for the service among the resources of a Sign-In with Ethereum message, besides `BASE_URL/siwe`: those that public clients name',
    z.string().default('').transform(parseUrls),
  ),
  linkSignatureMaxAgeSeconds: variable(
    'LINK_SIGNATURE_MAX_AGE',
    'seconds before a request within which an account must have signed on chain the sentence that links it, and within which a linking message is accepted',
    z.coerce.number().int().min(0).max(86_400).default(3_600),
  ),
  smallestOrders: variable(
    'SMALLEST_ORDERS',
    'smallest amounts of orders by currency, `eur:1.00,isk:100.00`; a currency that is not named has none. Each order costs its gas, whatever its amount',
    z.string().default('eur:1.00,usd:1.00,gbp:1.00,isk:100.00').transform(parseAmounts),
  ),
  paymentLimits: variable(
    'BANK_PAYMENT_LIMITS',
    'largest amounts by currency that the bank carries in one payment, for the API and the common worker; by default the limit of Faster Payments. SEPA never carries more than 999999999.99 EUR',
    z.string().default('gbp:1000000.00').transform(parseAmounts),
  ),
  applicationRequestsPerMinute: variable(
    'RATE_LIMIT_APPLICATION',
    'requests per minute of one application, over all copies of the API; 0 is no limit. By default 6000, and none in the sandbox',
    perMinute,
  ),
  addressRequestsPerMinute: variable(
    'RATE_LIMIT_ADDRESS',
    'requests without a valid token per minute from one network address; 0 is no limit. By default 300, and none in the sandbox',
    perMinute,
  ),
  failedLoginsPerMinute: variable(
    'RATE_LIMIT_FAILED_LOGINS',
    'requests to `/auth/token` with wrong credentials per minute from one network address; 0 is no limit. By default 10, and none in the sandbox',
    perMinute,
  ),
  quotaProfiles: variable('QUOTA_PROFILES', 'most profiles that an application has created; 0 is no limit', quota.default(100_000)),
  quotaAddresses: variable('QUOTA_ADDRESSES', 'most linked addresses of a profile; 0 is no limit', quota.default(100)),
  quotaPendingSignatures: variable(
    'QUOTA_PENDING_SIGNATURES',
    'most signatures of contract accounts that wait for their verdict, of a profile, and as many of sign-ins; the worker of a network looks at each again and again. 0 is no limit',
    quota.default(500),
  ),
  quotaFiles: variable('QUOTA_FILES', 'most files that an application has uploaded; 0 is no limit', quota.default(500_000)),
  quotaFileMegabytes: variable(
    'QUOTA_FILE_MEGABYTES',
    'most megabytes of files that an application has uploaded; 0 is no limit',
    quota.default(250_000),
  ),
  quotaUserFiles: variable(
    'QUOTA_USER_FILES',
    'most files that one user has uploaded, except the owner of an application through that; 0 is no limit',
    quota.default(200),
  ),
  quotaUserFileMegabytes: variable('QUOTA_USER_FILE_MEGABYTES', 'most megabytes of those files; 0 is no limit', quota.default(500)),
  quotaStreams: variable(
    'QUOTA_STREAMS',
    'most order streams that one user of an application has open at one copy of the API; 0 is no limit',
    quota.default(5),
  ),
  quotaSubscriptions: variable(
    'QUOTA_SUBSCRIPTIONS',
    'most webhook subscriptions of an application, each of which is sent every event; 0 is no limit',
    quota.default(20),
  ),
  retentionEventsDays: variable(
    'RETENTION_EVENTS_DAYS',
    'days for which events are kept, at least as long as their deliveries; 0 is for ever',
    daysKept(14).default(180),
  ),
  retentionDeliveriesDays: variable(
    'RETENTION_DELIVERIES_DAYS',
    'days after its event for which a webhook delivery is kept and can be replayed; 0 is for ever',
    daysKept(7).default(90),
  ),
  retentionAuditDays: variable(
    'RETENTION_AUDIT_DAYS',
    'days for which the audit log is kept; 0 is for ever. By default ten years',
    daysKept(365).default(3_653),
  ),
  retentionPostingsDays: variable(
    'RETENTION_POSTINGS_DAYS',
    'days after which postings of the book move into the schema `archive`, where they can be queried and taken back; 0 is never. By default ten years. Nothing of the book is deleted',
    daysKept(365).default(3_653),
  ),
  retentionAttemptsDays: variable(
    'RETENTION_ATTEMPTS_DAYS',
    'days for which the signed bytes of a transaction that has ended are kept; its hash is kept for ever. 0 is for ever',
    daysKept(7).default(30),
  ),
  retentionIdempotencyDays: variable(
    'RETENTION_IDEMPOTENCY_DAYS',
    'days for which the answer to a request with an `Idempotency-Key` is kept',
    z.coerce.number().int().min(1).max(90).default(1),
  ),
  warnAllowanceDays: variable(
    'WARN_ALLOWANCE_DAYS',
    'days; `mintrail status` warns of a mint allowance that ends within them at the rate of the last week. 0 is never',
    z.coerce.number().int().min(0).max(365).default(7),
  ),
  warnDailyLimitPercent: variable(
    'WARN_DAILY_LIMIT_PERCENT',
    'share of its daily mint limit that an operator has issued today, in percent, from which `mintrail status` warns. 0 is never',
    z.coerce.number().int().min(0).max(100).default(80),
  ),
  warnGasDays: variable(
    'WARN_GAS_DAYS',
    "days; `mintrail status` warns of a signer's gas money that ends within them at the use of the last week. 0 is never",
    z.coerce.number().int().min(0).max(365).default(7),
  ),
  warnCertificateDays: variable(
    'WARN_CERTIFICATE_DAYS',
    'days before the end of the TLS certificate of `BASE_URL`, or of `TLS_CERTIFICATE`, from which `mintrail status` warns. 0 is never',
    z.coerce.number().int().min(0).max(365).default(21),
  ),
  warnSecretDays: variable(
    'WARN_SECRET_DAYS',
    'days; `mintrail status` warns of secrets, keystores and client secrets that are older. 0 is never',
    z.coerce.number().int().min(0).max(36_525).default(365),
  ),
  warnDiskPercent: variable(
    'WARN_DISK_PERCENT',
    'free space of a disk with data, in percent, below which `mintrail status` warns. 0 is never',
    z.coerce.number().int().min(0).max(99).default(10),
  ),
  tlsCertificate: variable(
    'TLS_CERTIFICATE',
    'file with the TLS certificate of the public address, as PEM, where the common worker cannot reach `BASE_URL` to look at it',
    z.string().optional(),
  ),
  trustedProxies: variable(
    'TRUST_PROXY',
    'number of trusted reverse proxies in front of the API, whose `X-Forwarded-For` names the address of the client; with 0 the address of the connection counts',
    z.coerce.number().int().min(0).max(10).default(0),
  ),
  metricsPort: variable(
    'METRICS_PORT',
    'port on which the API or a worker serves `/metrics`, on the address of `HOST`; another one for each process of a machine',
    port.optional(),
  ),
  indexerPort: variable(
    'INDEXER_PORT',
    'port on which an indexer serves GraphQL and SQL over its rows, on the address of `HOST`; of several networks in one process, the next has the next port',
    port.optional(),
  ),
  indexerReaderUrl: variable(
    'INDEXER_READER_URL',
    'PostgreSQL connection for readers of indexed rows, of a role that may do nothing else; `INDEXER_PORT` needs it (docs/indexed-data.md)',
    z.string().optional(),
  ),
  swapSettlement: variable(
    'SWAP_SETTLEMENT',
    'settlement contract of swaps on `arbitrumsepolia`; only the sandbox environment has swaps',
    z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
      .transform(lowerAddress)
      .optional(),
  ),
  swapSigner: variable(
    'SWAP_SIGNER',
    'signer of the quotes, written like the signers of a network: the maker of the settlement contract, whose key can spend its own tokens only',
    z.string().optional(),
  ),
  swapKeystorePassword: variable(
    'SWAP_KEYSTORE_PASSWORD',
    'password of its keystore; better `file:PATH` of a file that holds it',
    z.string().optional(),
  ),
  swapRatesFile: variable(
    'SWAP_RATES_FILE',
    'file of mid rates in US dollars, which may be edited at any time (docs/sandbox.md, Swap)',
    z.string().optional(),
  ),
  swapRatesMaxAgeSeconds: variable(
    'SWAP_RATES_SECONDS',
    'age in seconds at which those rates are no longer used; 0 is never',
    z.coerce.number().int().min(0).default(3600),
  ),
  swapSpreadBps: variable(
    'SWAP_SPREAD_BPS',
    'what the maker keeps of each swap, in basis points',
    z.coerce.number().int().min(0).max(5_000).default(20),
  ),
  swapDepthUsd: variable(
    'SWAP_DEPTH_USD',
    'US dollars; a swap of this value gets half the price, and smaller ones lose proportionally less',
    z.coerce.number().int().min(1).max(1_000_000_000_000).default(10_000_000),
  ),
  swapQuoteSeconds: variable(
    'SWAP_QUOTE_SECONDS',
    'seconds for which a committed quote is valid',
    z.coerce.number().int().min(5).max(3_600).default(60),
  ),
});

/** A bank account that holds the money behind the tokens. */
export interface MasterAccount {
  /** An IBAN without spaces, or how the statements of an account without one identify it. */
  account: string;
  /** The currency whose payments it makes; undefined for every currency. */
  currency?: Currency;
}

/** The settings of one network, from variables that begin with its name in capitals, such as `GNOSIS_TOKENS`. */
export const networkSettingsSchema = z.object({
  tokens: variable(
    'TOKENS',
    'token contracts, `eur:0x…,gbp:0x…`; a network without it is not configured',
    z.string().transform(parseTokens),
  ),
  rpcUrls: variable(
    'RPC_URLS',
    'RPC endpoints, comma separated; the first that answers is used. The API needs none',
    z.string().default('').transform(parseUrls),
  ),
  rpcQuorum: variable(
    'RPC_QUORUM',
    'HTTP endpoints that must agree before an order is settled. By default 1 with one endpoint, 2 with more',
    z.coerce.number().int().min(1).optional(),
  ),
  signers: variable(
    'SIGNERS',
    'signers, comma separated, one lane each: `keystore:PATH`, `awskms:KEY`, `web3signer:URL/0xADDRESS`; in the sandbox also `0x…`, a raw key, or `file:PATH` of raw keys',
    z.string().default('').transform(parseSigners),
  ),
  keystorePassword: variable(
    'KEYSTORE_PASSWORD',
    'password of the keystores among the signers; better `file:PATH` of a file that holds it',
    z.string().optional(),
  ),
  deployer: variable(
    'DEPLOYER',
    'signer that pays for `mintrail safe create`, `mintrail token deploy` and `mintrail token upgrade`, in the form of the signers; it never holds a role',
    z.string().optional(),
  ),
  deployerPassword: variable(
    'DEPLOYER_PASSWORD',
    "password of the deployer's keystore; better `file:PATH` of a file that holds it",
    z.string().optional(),
  ),
  confirmations: variable(
    'CONFIRMATIONS',
    'blocks on top before an outcome counts, or `safe` or `finalized`',
    z.union([z.coerce.number().int().min(0), z.enum(['safe', 'finalized'])]),
  ),
  startBlock: variable('START_BLOCK', 'block from which the tokens are indexed', z.coerce.number().int().min(0).default(0)),
  blockTimeSeconds: variable('BLOCK_TIME', 'usual seconds between blocks; paces polling and fee replacement', z.coerce.number().positive()),
  overdueSeconds: variable(
    'OVERDUE_SECONDS',
    'seconds within which a leg is carried out and confirmed; `mintrail status` names older ones. By default it follows from the block time and the confirmations',
    z.coerce.number().int().positive().optional(),
  ),
  feeCeilingGwei: variable(
    'FEE_CEILING',
    'most gwei that a transaction offers for a gas; at a higher price nothing is sent',
    z.coerce.number().min(1e-9).max(1e9),
  ),
  transactionFeeCeiling: variable(
    'TRANSACTION_FEE_CEILING',
    'most that a transaction offers for its whole gas, in the currency of gas; below what nodes refuse to send',
    z.coerce.number().min(1e-9).max(1e9),
  ),
  maxBatch: variable('MAX_BATCH', 'most orders in one transaction', z.coerce.number().int().min(1).max(500)),
  gasBudget: variable(
    'GAS_BUDGET',
    'gas that the redemptions of a profile may use in a day of UTC, by upper bounds: about 55,000 for one signed by a key, 600,000 for one signed by a contract. What is over it waits for the next day; 0 is no limit',
    z.coerce.number().int().min(0).max(1_000_000_000_000),
  ),
  inheritedTokens: variable(
    'INHERITED_TOKENS',
    'currencies, comma separated, whose token was in circulation before `START_BLOCK`; needed only by forks of the sandbox',
    z
      .string()
      .default('')
      .transform((text) => text.split(',').filter(Boolean)),
  ),
  openingRpcUrl: variable(
    'OPENING_RPC_URL',
    'endpoint with the state behind the block before `START_BLOCK`, from which the balances of those tokens are read; needed only by forks of the sandbox',
    z.url().optional(),
  ),
  genesis: variable(
    'GENESIS',
    'name of this instance of the chain; needed only by local chains, which can start anew under the same id',
    z.string().default(''),
  ),
});

/** Name of a setting in {@link Settings}. */
export type SettingName = keyof typeof settingsSchema.shape;
/** Name of a setting in {@link NetworkSettings}. */
export type NetworkSettingName = keyof typeof networkSettingsSchema.shape;

/** The validated settings of one network. */
export type NetworkSettings = z.infer<typeof networkSettingsSchema> & { chain: Chain };
/** The validated settings of the service, with those of every configured network. */
export type Settings = z.infer<typeof settingsSchema> & { networks: Partial<Record<Chain, NetworkSettings>> };

/** How much an application, a profile or a user may have at once; 0 is no limit (docs/api.md, Quotas). */
export type QuotaSettings = { [Name in Extract<SettingName, `quota${string}`>]: Settings[Name] };

/** The quotas where no variable says otherwise. */
export const defaultQuotas: QuotaSettings = loadSomeSettings(
  Object.keys(settingsSchema.shape).filter((name) => name.startsWith('quota')) as (keyof QuotaSettings)[],
  {},
);

/** The settings of a network where no variable says otherwise: those of the table of chains. */
export function networkDefaults(
  chain: Chain,
): Pick<NetworkSettings, 'confirmations' | 'blockTimeSeconds' | 'feeCeilingGwei' | 'transactionFeeCeiling' | 'maxBatch' | 'gasBudget'> {
  const { confirmations, blockTimeSeconds, feeCeilingGwei, transactionFeeCeiling, maxBatch, gasBudget } = chainFacts(chain);
  return { confirmations, blockTimeSeconds, feeCeilingGwei, transactionFeeCeiling, maxBatch, gasBudget };
}

/** Name of the environment variable of a setting. */
export function settingVariable(name: SettingName): string {
  return variableOf(settingsSchema.shape[name]);
}

/** Names of the environment variables of all settings that are not a network's. */
export function settingVariables(): string[] {
  return Object.values(settingsSchema.shape).map(variableOf);
}

/** Name of the environment variable of a network's setting, such as `GNOSIS_TOKENS`. */
export function networkVariable(chain: Chain, name: NetworkSettingName): string {
  return `${chain.toUpperCase()}_${variableOf(networkSettingsSchema.shape[name])}`;
}

/** Names of all environment variables of all networks. */
export function networkVariables(): string[] {
  const names = Object.keys(networkSettingsSchema.shape) as NetworkSettingName[];
  return chains.flatMap((chain) => names.map((name) => networkVariable(chain, name)));
}

/** The environment variables from which `loadSettings` reads these values. */
export function settingsEnvironment(values: Partial<Record<SettingName, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [settingVariable(name as SettingName), value]));
}

/** The environment variables from which `loadSettings` reads these values of a network. */
export function networkEnvironment(chain: Chain, values: Partial<Record<NetworkSettingName, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [networkVariable(chain, name as NetworkSettingName), value]));
}

/**
 * Reads all settings. Throws `invalid_settings`: all invalid settings are reported together, with the `problems` that the caller knows of, which are
 * texts by variable.
 */
export function loadSettings(env: Environment = process.env, problems: Readonly<Record<string, string>> = {}): Settings {
  const invalid: Record<string, string> = { ...problems };
  const parsed = readSettings(settingsSchema, env, invalid, isSandbox(env) ? { defaults: sandboxBank } : {});
  const networks = readNetworks(env, invalid);
  const withoutAccount = Object.values(networks)
    .flatMap(({ tokens }) => Object.keys(tokens) as Currency[])
    .find((currency) => parsed !== undefined && parsed.bankAccounts.length > 0 && !payingAccount(parsed.bankAccounts, currency));
  if (withoutAccount !== undefined)
    invalid[settingVariable('bankAccounts')] = `has no account for ${withoutAccount}, of which there is a token`;
  if (parsed?.smtpUrl !== undefined && parsed.mailFrom === undefined) invalid[settingVariable('mailFrom')] = 'is required with SMTP_URL';
  if (parsed && daysOrEver(parsed.retentionEventsDays) < daysOrEver(parsed.retentionDeliveriesDays))
    invalid[settingVariable('retentionEventsDays')] = `must not be less than ${settingVariable('retentionDeliveriesDays')}`;
  if (!parsed || Object.keys(invalid).length > 0) throw invalidSettings(invalid);
  return { ...parsed, networks };
}

/** Reads some settings alone, for what needs no ledger. Throws `invalid_settings`. */
export function loadSomeSettings<Name extends SettingName>(names: readonly Name[], env: Environment = process.env): SomeSettings<Name> {
  const invalid: Record<string, string> = {};
  const shape = Object.fromEntries(names.map((name) => [name, settingsSchema.shape[name]]));
  const parsed = readSettings(z.object(shape as Pick<typeof settingsSchema.shape, Name>), env, invalid);
  if (!parsed) throw invalidSettings(invalid);
  return parsed;
}

type SomeSettings<Name extends SettingName> = z.infer<z.ZodObject<Pick<typeof settingsSchema.shape, Name>>>;

/** Reads the settings of the networks alone, for what needs no ledger. Throws `invalid_settings`. */
export function loadNetworks(env: Environment = process.env): Settings['networks'] {
  const invalid: Record<string, string> = {};
  const networks = readNetworks(env, invalid);
  if (Object.keys(invalid).length > 0) throw invalidSettings(invalid);
  return networks;
}

/** Reads the settings of one network, which may not have a token yet. Throws `invalid_settings`. */
export function loadNetwork(chain: Chain, env: Environment = process.env): NetworkSettings {
  const variable = networkVariable(chain, 'tokens');
  // A list without an entry: an empty variable counts as one that is not set.
  return networkSettings({ networks: loadNetworks({ ...env, [variable]: env[variable] || ',' }) }, chain);
}

/** Public address of the API, without a slash at the end. */
export function baseUrl(settings: Pick<Settings, 'baseUrl' | 'port'>): string {
  return (settings.baseUrl ?? `http://localhost:${settings.port}`).replace(/\/$/, '');
}

/** What a setting means, as docs/settings.md says it, without formatting. */
export function settingMeaning(name: SettingName): string {
  return plain(settingsSchema.shape[name].meta()?.description);
}

/** What a setting of networks means, as docs/settings.md says it, without formatting. */
export function networkSettingMeaning(name: NetworkSettingName): string {
  return plain(networkSettingsSchema.shape[name].meta()?.description);
}

/** The memo of an order whose payer wrote none (docs/api.md, Orders). */
export function defaultMemo({ serviceName }: Pick<Settings, 'serviceName'>): string {
  return `Powered by ${serviceName}`;
}

/** The account that makes payments of a currency, and that its credits arrive at: the one that names it, else the first for every currency. */
export function payingAccount(accounts: readonly MasterAccount[], currency: string): string | undefined {
  const own = accounts.find((account) => account.currency === currency) ?? accounts.find((account) => account.currency === undefined);
  return own?.account;
}

/** Requests per minute; 0 is no limit. The sandbox has none by default, because there everything is tried out and measured. */
export function rateLimits(settings: Settings): { application: number; address: number; failedLogins: number } {
  const isProduction = settings.environment === 'production';
  return {
    application: settings.applicationRequestsPerMinute ?? (isProduction ? 6_000 : 0),
    address: settings.addressRequestsPerMinute ?? (isProduction ? 300 : 0),
    failedLogins: settings.failedLoginsPerMinute ?? (isProduction ? 10 : 0),
  };
}

/** The settings of a network. Throws `network_not_configured`, naming the variable to set. */
export function networkSettings(settings: Pick<Settings, 'networks'>, chain: Chain): NetworkSettings {
  const network = settings.networks[chain];
  if (network) return network;
  throw new StopError({
    code: 'network_not_configured',
    message: `The network ${chain} is not configured: set ${networkVariable(chain, 'tokens')}`,
  });
}

function plain(text = ''): string {
  return text.replaceAll('`', '');
}

/** The simulated bank of a sandbox: nobody pays to or from it. */
const sandboxBank = { bankBic: 'MNTRIS22', bankIbanCountry: 'IS', bankIbanPrefix: '0159' };

/** Whether these variables are those of a sandbox, which may use what is made up. */
export function isSandbox(env: Environment): boolean {
  return env[settingVariable('environment')] === 'sandbox';
}

function variable<Schema extends z.ZodType>(name: string, meaning: string, schema: Schema): Schema {
  return schema.meta({ variable: name, description: meaning });
}

function variableOf(schema: z.ZodType): string {
  return schema.meta()?.['variable'] as string;
}

function readNetworks(env: Environment, invalid: Record<string, string>): Settings['networks'] {
  const networks: Settings['networks'] = {};
  for (const chain of chains) {
    if (!env[networkVariable(chain, 'tokens')]) continue;
    const parsed = readSettings(networkSettingsSchema, env, invalid, {
      prefix: `${chain.toUpperCase()}_`,
      defaults: networkDefaults(chain),
    });
    if (!parsed) continue;
    networks[chain] = { ...parsed, chain };
    // The API reads no chain: it may have the quorum of the workers, and no endpoint.
    const endpoints = parsed.rpcUrls.filter((url) => url.startsWith('http')).length;
    if (endpoints > 0 && (parsed.rpcQuorum ?? 1) > endpoints)
      invalid[networkVariable(chain, 'rpcQuorum')] = `more than the ${endpoints} HTTP endpoints of the network`;
  }
  return networks;
}

/** The settings of a schema, or undefined when some are invalid: `invalid` then has their variables and what is wrong with each. */
function readSettings<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  env: Environment,
  invalid: Record<string, string>,
  { prefix = '', defaults = {} }: { prefix?: string; defaults?: object } = {},
): z.infer<z.ZodObject<Shape>> | undefined {
  const variables = new Map(Object.entries(schema.shape).map(([name, field]) => [name, prefix + variableOf(field as z.ZodType)]));
  const values = [...variables].flatMap(([name, key]) => (env[key] ? [[name, env[key]] as const] : []));
  const parsed = schema.safeParse({ ...defaults, ...Object.fromEntries(values) });
  if (parsed.success) return parsed.data;
  for (const { path, message } of parsed.error.issues) {
    const name = variables.get(String(path[0])) as string;
    // That a setting is missing was said before, with its meaning.
    if (values.some(([key]) => key === path[0]) || !(name in invalid)) invalid[name] = message;
  }
  return undefined;
}

function invalidSettings(invalid: Record<string, string>): StopError {
  const lines = Object.entries(invalid).map(([name, text]) => `  ${name}: ${text}`);
  return new StopError({
    code: 'invalid_settings',
    message: `Settings are missing or invalid:\n${lines.join('\n')}\ndocs/operations.md (Settings of a deployment) says what each process needs, docs/settings.md lists all settings.`,
    fields: invalid,
  });
}

function daysOrEver(days: number): number {
  return days === 0 ? Infinity : days;
}

function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && `${url.pathname}${url.search}${url.hash}`.length <= 1;
}

function parseTokens(text: string, context: z.RefinementCtx): Partial<Record<Currency, LowerAddress>> {
  const tokens: Partial<Record<Currency, LowerAddress>> = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [name, address] = part.trim().split(':');
    const currency = currencySchema.safeParse(name);
    if (!currency.success || !/^0x[0-9a-fA-F]{40}$/.test(address ?? '')) {
      context.addIssue({ code: 'custom', message: `"${part}" is not of the form eur:0x… (eur, usd, gbp or isk, and an address)` });
    } else tokens[currency.data] = lowerAddress(address ?? '');
  }
  return tokens;
}

function parseBankAccounts(text: string, context: z.RefinementCtx): MasterAccount[] {
  return text
    .split(',')
    .filter(Boolean)
    .flatMap((part): MasterAccount[] => {
      const [account = '', name] = part.trim().split(':').toReversed();
      const currency = name === undefined ? undefined : currencySchema.safeParse(name);
      if (/^[A-Z0-9]{1,34}$/.test(account) && currency?.success !== false)
        return [{ account, ...(currency && { currency: currency.data }) }];
      context.addIssue({
        code: 'custom',
        message: `"${part}" is not an IBAN without spaces, nor of the form eur:IBAN (eur, usd, gbp or isk)`,
      });
      return [];
    });
}

/** Whether the audit log can keep a text as an operator's name: letters, digits, `.`, `_`, `@` and `-`, at most 64. */
export function isOperatorName(text: string): boolean {
  return /^[\w.@-]{1,64}$/.test(text);
}

function parseOperators(text: string, context: z.RefinementCtx): Record<string, string> {
  const operators: Record<string, string> = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [user = '', name = ''] = part.trim().split(':');
    if (user !== '' && isOperatorName(name) && name !== 'root') operators[user] = name;
    else
      context.addIssue({
        code: 'custom',
        message: `"${part}" is not of the form USER:NAME, a user of the system and the name of a person`,
      });
  }
  return operators;
}

function parseAmounts(text: string, context: z.RefinementCtx): Partial<Record<Currency, MinorUnits>> {
  const amounts: Partial<Record<Currency, MinorUnits>> = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [name, value = ''] = part.trim().split(':');
    const currency = currencySchema.safeParse(name);
    const amount = parseAmount(value);
    if (currency.success && amount !== undefined) amounts[currency.data] = amount;
    else context.addIssue({ code: 'custom', message: `"${part}" is not of the form eur:1.00 (eur, usd, gbp or isk, and an amount)` });
  }
  return amounts;
}

function parseUrls(text: string, context: z.RefinementCtx): string[] {
  const urls = text
    .split(',')
    .filter(Boolean)
    .map((url) => url.trim());
  // The value stays out of the message: RPC addresses carry keys.
  if (urls.some((url) => !/^(https?|wss?):\/\/./.test(url)))
    context.addIssue({ code: 'custom', message: 'every endpoint begins with http://, https://, ws:// or wss://' });
  return urls;
}

function parseAccounts(text: string): 'all' | string[] {
  if (text.trim().toLowerCase() === 'all') return 'all';
  return text.toUpperCase().replace(/\s/g, '').split(',').filter(Boolean);
}

function parseSigners(text: string): string[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((reference) => reference.trim());
}
