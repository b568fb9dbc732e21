import { z } from 'zod';
import { lowerAddress } from '../addresses.ts';
import { isRedisUrl } from '../queue/redis-address.ts';
import '../validation-messages.ts';
import {
  databaseAddress,
  daysKept,
  isSmtpUrl,
  isTimeZone,
  parseAccounts,
  parseAddress,
  parseAddressParts,
  parseAmounts,
  parseDocumentAmounts,
  parseBankAccounts,
  parseHolidays,
  parseOperators,
  parseUrls,
  parts,
  perMinute,
  port,
  quota,
  secretsKey,
} from './setting-values.ts';
import { variable } from './variable.ts';

/** The settings of one process. This is the only place that names their environment variables; docs/settings.md and .env.example are made from it. */
export const settingsSchema = z.object({
  environment: variable(
    'MINTRAIL_ENVIRONMENT',
    '`sandbox` uses simulated money and adds the `/sandbox` endpoints; `npm start` sets it',
    z.enum(['production', 'sandbox']).default('production'),
    'sandbox',
  ),
  port: variable('PORT', 'port of the API', port.default(3000), 'usual'),
  host: variable('HOST', 'address the API listens on', z.string().default('127.0.0.1'), 'usual'),
  baseUrl: variable(
    'BASE_URL',
    'public address of the API, in production https, for the API and the common worker; in the sandbox `http://localhost:PORT` by default',
    z.url().optional(),
    'needed',
  ),
  dataDir: variable(
    'MINTRAIL_DATA_DIR',
    'folder of uploaded files, and of the database and the chains of the sandbox',
    z.string().default('.mintrail'),
    'usual',
  ),
  databaseUrl: variable('DATABASE_URL', 'PostgreSQL 15 or newer; the sandbox brings its own', databaseAddress, 'needed'),
  databaseDirectUrl: variable(
    'DATABASE_DIRECT_URL',
    'address of the same database without the pooler, when `DATABASE_URL` is that of a pooler in transaction mode',
    databaseAddress.optional(),
  ),
  databasePrepared: variable(
    'DATABASE_PREPARED',
    '`on` prepares repeated statements, by default; behind a pooler only where that keeps them, as PgBouncer does from 1.21 with `max_prepared_statements`',
    z.enum(['on', 'off']).optional(),
  ),
  databasePoolSize: variable(
    'DATABASE_POOL',
    'most connections of a process to `DATABASE_URL`; docs/scaling.md counts those besides',
    z.coerce.number().int().min(2).default(10),
  ),
  secretsKey: variable(
    'SECRETS_KEY',
    'key that seals secrets in the database: the base64 of 32 bytes, better `file:PATH`, for API, console and common worker; `mintrail secrets generate-key` makes it',
    secretsKey.optional(),
    'needed',
  ),
  secretsKeysOld: variable(
    'SECRETS_KEYS_OLD',
    'earlier keys, comma separated, that still unseal until `mintrail secrets rotate` has run',
    z.string().default(''),
  ),
  redisUrl: variable(
    'REDIS_URL',
    'Redis for the queues: `redis://HOST:PORT`, `rediss://…` with TLS, or `redis+sentinel://HOST:PORT,HOST:PORT/NAME`; without it they live in PostgreSQL',
    z
      .string()
      // The value stays out of the message: it may have a password.
      .refine(
        (text) => isRedisUrl(text),
        'must be of the form redis://HOST:PORT, rediss://HOST:PORT or redis+sentinel://HOST:PORT,HOST:PORT/NAME',
      )
      .optional(),
    'usual',
  ),
  smtpUrl: variable(
    'SMTP_URL',
    'mail server, `smtp://USER:PASSWORD@HOST:587` (STARTTLS) or `smtps://USER:PASSWORD@HOST:465`, for the API and the common worker. Without it nobody can sign up or reset a password',
    z
      .string()
      // The value stays out of the message: it has a password.
      .refine((text) => isSmtpUrl(text), 'must be of the form smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT')
      .optional(),
    'needed',
  ),
  mailFrom: variable('MAIL_FROM', 'email address that mails come from; required with `SMTP_URL`', z.email().optional(), 'needed'),
  serviceName: variable(
    'SERVICE_NAME',
    'name of the service in its texts and in the default memo',
    z.string().default('Mintrail'),
    'usual',
  ),
  logLevel: variable(
    'LOG_LEVEL',
    'lowest level that is logged',
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    'usual',
  ),
  operators: variable(
    'OPERATORS',
    'names in the audit log of users of the system who call `mintrail`: `deploy:anna,root:ben`; in production `root` changes nothing without one (or `--as NAME`)',
    z.string().default('').transform(parseOperators),
    'usual',
  ),
  bankRail: variable(
    'BANK_RAIL',
    '`iso20022` exchanges files with a bank, `sandbox` simulates one, which production refuses',
    z.enum(['sandbox', 'iso20022']).default('iso20022'),
    'sandbox',
  ),
  bankInbox: variable(
    'BANK_INBOX',
    'folder watched for camt.053, camt.054, camt.052, pain.002 and camt.056 files',
    z.string().optional(),
    'usual',
  ),
  bankIntraday: variable(
    'BANK_INTRADAY',
    'accounts, comma separated IBANs or numbers, or `all`, whose intraday reports (camt.052) serve as notifications',
    z.string().default('').transform(parseAccounts),
    'usual',
  ),
  bankOutbox: variable(
    'BANK_OUTBOX',
    'folder into which the common worker writes files for the bank (pain.001, camt.029)',
    z.string().optional(),
    'needed',
  ),
  bankAccounts: variable(
    'BANK_ACCOUNT',
    'IBAN of the master account, from which payments are made and whose statements are read; several with their currencies: `eur:IBAN,gbp:IBAN`',
    z.string().default('').transform(parseBankAccounts),
    'needed',
  ),
  bankAccountName: variable(
    'BANK_ACCOUNT_NAME',
    'name of the holder of that account, as the bank knows it',
    z.string().min(1).optional(),
    'needed',
  ),
  bankAccountAddress: variable(
    'BANK_ACCOUNT_ADDRESS',
    'postal address of that holder in payment files: `{"street":"Main Street","buildingNumber":"1","postalCode":"10115","city":"Berlin","country":"DE"}`, also `countryState` and up to two `lines`; city and country are required',
    z.string().transform(parseAddress).optional(),
    'usual',
  ),
  bankFileSeconds: variable(
    'BANK_FILE_SECONDS',
    'seconds for which payments are collected into one file; a full file is written at once',
    z.coerce.number().min(0).default(60),
  ),
  bankTimeZone: variable(
    'BANK_TIME_ZONE',
    'time zone of the bank, such as `Europe/Berlin`, by which payment files and bookings have their day',
    z.string().refine(isTimeZone, 'is no time zone of the IANA, such as Europe/Berlin').default('UTC'),
    'usual',
  ),
  bankHolidays: variable(
    'BANK_HOLIDAYS',
    'days without payments, besides weekends and the closing days of TARGET for euro: `2026-12-28,gbp:2026-08-31`',
    z.string().default('').transform(parseHolidays),
    'usual',
  ),
  bankBic: variable(
    'BANK_BIC',
    'BIC of the bank that holds the accounts; in a sandbox `MNTRIS22` by default',
    z
      .string()
      .regex(/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/, 'is not a BIC of 8 or 11 characters')
      .optional(),
    'needed',
  ),
  bankIbanCountry: variable(
    'BANK_IBAN_COUNTRY',
    'country of the IBANs that are assigned; in a sandbox `IS` by default',
    z
      .string()
      .regex(/^[A-Z]{2}$/, 'is not a country code of two capital letters')
      .optional(),
    'needed',
  ),
  bankIbanPrefix: variable(
    'BANK_IBAN_PREFIX',
    'first characters of the account part of those IBANs: bank code and fixed part of the range; in a sandbox `0159` by default',
    z
      .string()
      .regex(/^[A-Z0-9]+$/, 'is not of digits and capital letters')
      .optional(),
    'needed',
  ),
  clamdAddress: variable(
    'CLAMD_ADDRESS',
    'socket of a clamd that scans uploaded files for malware, a path or `HOST:PORT`',
    z.string().optional(),
    'usual',
  ),
  filesS3Bucket: variable(
    'FILES_S3_BUCKET',
    'bucket for uploaded files, by the variables of AWS (`AWS_REGION`, by default `us-east-1`; `AWS_ENDPOINT_URL_S3` of another service); without it they are in `MINTRAIL_DATA_DIR/files`, which every copy of the API must see',
    z.string().optional(),
    'usual',
  ),
  siweResources: variable(
    'SIWE_RESOURCES',
    'URIs, comma separated, that stand for the service in a Sign-In with Ethereum message, besides `BASE_URL/siwe`',
    z.string().default('').transform(parseUrls),
  ),
  documentAmounts: variable(
    'DOCUMENT_AMOUNTS',
    'amounts from which an order needs a supporting document: the equivalents of 15,000.00 EUR',
    z.string().default('usd:17000.00,gbp:13000.00,isk:2100000.00').transform(parseDocumentAmounts),
  ),
  paymentLimits: variable(
    'BANK_PAYMENT_LIMITS',
    'largest amounts in one payment, for the API and the common worker; SEPA never carries more than 999999999.99 EUR',
    z.string().default('gbp:1000000.00').transform(parseAmounts),
  ),
  addressParts: variable(
    'BANK_ADDRESS_PARTS',
    'parts of addresses that the bank needs in payments of a currency, the same for every process: `gbp:city+country`, of street, buildingNumber, postalCode, city, country',
    z.string().default('').transform(parseAddressParts),
  ),
  rateLimits: variable(
    'RATE_LIMITS',
    'requests per minute, over all copies of the API; 0 is no limit. Of an `application`; of a network `address` without a valid token or session; `failedLogins` of one to `/auth/token`. By default `application:6000,address:300,failedLogins:10`, and none in the sandbox',
    parts({ application: perMinute, address: perMinute, failedLogins: perMinute }),
  ),
  quotas: variable(
    'QUOTAS',
    'the most that somebody may have; 0 is no limit (docs/api.md, Quotas). Of an application `profiles`, `files` and `fileMegabytes`, webhook `subscriptions`, order `streams` at a copy of the API; of a profile `addresses` and `pendingSignatures`; of a user `userFiles` and `userFileMegabytes`. By default `profiles:100000,files:500000,fileMegabytes:250000,subscriptions:20,addresses:100,pendingSignatures:500,userFiles:200,userFileMegabytes:500,streams:5`',
    parts({
      profiles: quota.default(100_000),
      files: quota.default(500_000),
      fileMegabytes: quota.default(250_000),
      subscriptions: quota.default(20),
      addresses: quota.default(100),
      pendingSignatures: quota.default(500),
      userFiles: quota.default(200),
      userFileMegabytes: quota.default(500),
      streams: quota.default(5),
    }),
  ),
  retentionDays: variable(
    'RETENTION_DAYS',
    'days for which things are kept; 0 is for ever. `events`, at least as long as webhook `deliveries`; the `audit` log; `postings` of the book, which move into the schema `archive` then; `attempts`, the signed bytes of ended transactions; `idempotency`, answers under an `Idempotency-Key`. By default `events:180,deliveries:90,audit:3653,postings:3653,attempts:30,idempotency:1`',
    parts({
      events: daysKept(14).default(180),
      deliveries: daysKept(7).default(90),
      audit: daysKept(365).default(3_653),
      postings: daysKept(365).default(3_653),
      attempts: daysKept(7).default(30),
      idempotency: z.coerce.number().int().min(1).max(90).default(1),
    }),
  ),
  warnAt: variable(
    'WARN_AT',
    "when `mintrail status` warns; 0 is never. `allowanceDays` and `gasDays` before a mint allowance or gas money ends at the rate of the last week; `dailyLimitPercent` of a daily mint limit; `certificateDays` before the TLS certificate ends; secrets older than `secretDays`; less than `diskPercent` of a disk free. In bank days (Monday to Friday), never 0: `statementDays` without a statement, `paymentDays` without the bank's decision on a payment, `reviewDays` until a profile in review is overdue. By default `allowanceDays:7,gasDays:7,dailyLimitPercent:80,certificateDays:21,secretDays:365,diskPercent:10,statementDays:3,paymentDays:3,reviewDays:1`",
    parts({
      allowanceDays: z.coerce.number().int().min(0).max(365).default(7),
      gasDays: z.coerce.number().int().min(0).max(365).default(7),
      dailyLimitPercent: z.coerce.number().int().min(0).max(100).default(80),
      certificateDays: z.coerce.number().int().min(0).max(365).default(21),
      secretDays: z.coerce.number().int().min(0).max(36_525).default(365),
      diskPercent: z.coerce.number().int().min(0).max(99).default(10),
      statementDays: z.coerce.number().int().min(1).max(60).default(3),
      paymentDays: z.coerce.number().int().min(1).max(30).default(3),
      reviewDays: z.coerce.number().int().min(1).max(30).default(1),
    }),
  ),
  tlsCertificate: variable(
    'TLS_CERTIFICATE',
    'PEM file with the TLS certificate of the public address, where the common worker cannot reach `BASE_URL`',
    z.string().optional(),
  ),
  trustedProxies: variable(
    'TRUST_PROXY',
    'number of reverse proxies before the API, the console or the readers of indexed rows, whose `X-Forwarded-For` names the client',
    z.coerce.number().int().min(0).max(10).default(0),
    'usual',
  ),
  keepAliveSeconds: variable(
    'HTTP_KEEP_ALIVE',
    'seconds for which API and console keep an idle connection: longer than the proxy before them, which is a minute with most',
    z.coerce.number().int().min(1).max(3_600).default(75),
  ),
  consolePort: variable('CONSOLE_PORT', 'port of the console', port.default(3010), 'usual'),
  consoleHost: variable('CONSOLE_HOST', 'address the console listens on', z.string().default('127.0.0.1'), 'usual'),
  consoleUrl: variable(
    'CONSOLE_URL',
    'address of the console behind a proxy, `https://HOST`, to which passkeys belong; without it only browsers of the same machine reach it',
    z
      // What is no URL has no path to look at.
      .url({ abort: true })
      .refine((url) => new URL(url).pathname === '/', 'must not have a path')
      .optional(),
    'usual',
  ),
  consoleLink: variable(
    'CONSOLE_LINK',
    'secret of the link that signs in to the console of a sandbox; `npm start` makes one',
    z.string().min(32).optional(),
    'sandbox',
  ),
  fourEyes: variable(
    'FOUR_EYES',
    '`yes` (by default in production) holds what moves money or grants power until a second operator approves it; `no` in the sandbox',
    z.enum(['yes', 'no']).optional(),
    'usual',
  ),
  metricsPort: variable(
    'METRICS_PORT',
    'port of `/metrics` on the address of `HOST`, another for each process of a machine',
    port.optional(),
    'usual',
  ),
  tracesEndpoint: variable(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OpenTelemetry collector that takes traces by OTLP over HTTP, such as `http://localhost:4318`',
    z.url().optional(),
    'usual',
  ),
  tracesShare: variable(
    'OTEL_TRACES_SAMPLER_ARG',
    'share of the traces that are sent, from 0 to 1: the same for all processes',
    z.coerce.number().min(0).max(1).default(1),
  ),
  indexerPort: variable(
    'INDEXER_PORT',
    'port on which an indexer serves GraphQL and SQL over its rows, on the address of `HOST`; the next network of a process has the next port',
    port.optional(),
  ),
  indexerReaderUrl: variable(
    'INDEXER_READER_URL',
    'PostgreSQL connection of the role of readers, which `INDEXER_PORT` needs (docs/indexed-data.md)',
    z.string().optional(),
  ),
  swapSettlement: variable(
    'SWAP_SETTLEMENT',
    'settlement contract of swaps on `arbitrumsepolia`',
    z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
      .transform(lowerAddress)
      .optional(),
    'sandbox',
  ),
  swapSigner: variable('SWAP_SIGNER', 'signer of the quotes: the maker of the settlement contract', z.string().optional(), 'sandbox'),
  swapRatesFile: variable(
    'SWAP_RATES_FILE',
    'file of mid rates in US dollars, which may be edited at any time (docs/sandbox.md, Swap)',
    z.string().optional(),
    'sandbox',
  ),
  swapRatesMaxAgeSeconds: variable(
    'SWAP_RATES_SECONDS',
    'age in seconds at which those rates are no longer used; 0 is never',
    z.coerce.number().int().min(0).default(3600),
    'sandbox',
  ),
});
