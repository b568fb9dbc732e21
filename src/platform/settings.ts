import { z } from 'zod';
import { type Chain, chainFacts, chains } from './chains.ts';
import { StopError } from './errors.ts';
import { type Currency, currencySchema } from './money.ts';

const port = z.coerce.number().int().min(0).max(65535);
const perMinute = z.coerce.number().int().min(0).max(1_000_000_000).optional();

/** The settings of one process: environment variables, each with its meaning as the README's table shows it. */
export const settingsSchema = z.object({
  MINTRAIL_ENVIRONMENT: z
    .enum(['production', 'sandbox'])
    .default('production')
    .describe('`sandbox` moves fake money and adds the `/sandbox` endpoints; `npm start` sets it'),
  PORT: port.default(3000).describe('port of the API'),
  HOST: z.string().default('127.0.0.1').describe('address the API listens on'),
  BASE_URL: z.url().optional().describe('public address of the API, when it differs from `http://localhost:PORT`'),
  MINTRAIL_DATA_DIR: z
    .string()
    .default('.mintrail')
    .describe('where uploaded files lie, and where the sandbox keeps its database and chains'),
  DATABASE_URL: z.string().startsWith('postgres').describe('PostgreSQL 18; the sandbox brings its own'),
  DATABASE_POOL: z.coerce.number().int().min(2).default(10).describe('connections a process may hold'),
  REDIS_URL: z.string().startsWith('redis').optional().describe('Redis for the queues; without it they live in PostgreSQL'),
  SERVICE_NAME: z.string().default('Mintrail').describe('name in the welcome text and the default memo'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info').describe('least level that is logged'),
  BANK_RAIL: z
    .enum(['sandbox', 'iso20022'])
    .default('iso20022')
    .describe('`iso20022` exchanges files with a bank, `sandbox` simulates one'),
  BANK_INBOX: z.string().optional().describe('folder watched for camt.053, camt.054 and pain.002 files'),
  BANK_OUTBOX: z.string().optional().describe('folder into which pain.001 files are written; without it payments wait'),
  BANK_ACCOUNT: z
    .string()
    .regex(/^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/, 'must be an IBAN without spaces')
    .optional()
    .describe('IBAN of the master account, from which payments are made'),
  BANK_ACCOUNT_NAME: z.string().min(1).optional().describe('name of the holder of that account, as the bank has it'),
  BANK_FILE_SECONDS: z.coerce
    .number()
    .min(0)
    .default(60)
    .describe('seconds for which payments are collected into one file; a full file goes at once'),
  BANK_BIC: z
    .string()
    .regex(/^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/)
    .default('MNTRIS22')
    .describe('BIC of the bank that holds the accounts'),
  BANK_IBAN_COUNTRY: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .default('IS')
    .describe('country of the IBANs that are assigned'),
  BANK_IBAN_PREFIX: z
    .string()
    .regex(/^[A-Z0-9]+$/)
    .default('0159')
    .describe('first characters of the account part of the IBANs that are assigned: the bank code and what is fixed of the range'),
  FILES_S3_BUCKET: z
    .string()
    .optional()
    .describe('bucket for uploaded files; without it they lie in `MINTRAIL_DATA_DIR/files`, which every copy of the API must see'),
  FILES_S3_REGION: z.string().default('us-east-1').describe('region of that bucket; its credentials come from the usual variables of AWS'),
  FILES_S3_ENDPOINT: z.url().optional().describe('address of an S3 service other than that of AWS'),
  RATE_LIMIT_APPLICATION: perMinute.describe(
    'requests that one application may send per minute, over all copies of the API; 0 is no limit. By default 6000, and none in the sandbox',
  ),
  RATE_LIMIT_ADDRESS: perMinute.describe(
    'requests without a valid token per minute from one network address; 0 is no limit. By default 300, and none in the sandbox',
  ),
  RATE_LIMIT_FAILED_LOGINS: perMinute.describe(
    'requests to `/auth/token` with wrong credentials per minute from one network address; 0 is no limit. By default 10, and none in the sandbox',
  ),
  TRUST_PROXY: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe('reverse proxies before the API, whose `X-Forwarded-For` tells the address of a client; 0 takes that of the connection'),
  METRICS_PORT: port.optional().describe('port on which a worker serves `/metrics`'),
  SWAP_SETTLEMENT: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address')
    .transform((address) => address.toLowerCase() as `0x${string}`)
    .optional()
    .describe('settlement contract of swaps on `arbitrumsepolia`; only the sandbox environment has swaps'),
  SWAP_SIGNER: z
    .string()
    .optional()
    .describe(
      'signer of the quotes, written as those of a network are: the maker of the settlement contract, whose key can spend its own tokens only',
    ),
  SWAP_KEYSTORE_PASSWORD: z.string().optional().describe('password of its keystore; better `file:PATH` of a file that holds it'),
  SWAP_RATES_FILE: z.string().optional().describe('file of mid rates in US dollars, which may change at any time: see Swap'),
  SWAP_RATES_SECONDS: z.coerce.number().int().min(0).default(3600).describe('age at which those rates are no longer used; 0 is never'),
  SWAP_SPREAD_BPS: z.coerce
    .number()
    .int()
    .min(0)
    .max(5_000)
    .default(20)
    .describe('what the maker keeps of each swap, in hundredths of a percent'),
  SWAP_DEPTH_USD: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000_000_000)
    .default(10_000_000)
    .describe('US dollars; a swap of this value gets half the price, and smaller ones lose in proportion'),
  SWAP_QUOTE_SECONDS: z.coerce.number().int().min(5).max(3_600).default(60).describe('life of a committed quote'),
});

/** Settings of a single network, from variables that begin with its name in capitals, such as `GNOSIS_TOKENS`. */
export const networkSettingsSchema = z.object({
  TOKENS: z.string().transform(parseTokens).describe('token contracts, `eur:0x…,gbp:0x…`; a network without it is not configured'),
  RPC_URLS: z
    .string()
    .default('')
    .transform(parseUrls)
    .describe('RPC endpoints, comma separated; the first that answers is used. The API needs none'),
  SIGNERS: z
    .string()
    .default('')
    .transform(parseSigners)
    .describe(
      'signers, comma separated, one lane each: `keystore:PATH`, `awskms:KEY`, `web3signer:URL/0xADDRESS`; in the sandbox also `0x…`, a raw key, or `file:PATH` of raw keys',
    ),
  KEYSTORE_PASSWORD: z.string().optional().describe('password of those keystores; better `file:PATH` of a file that holds it'),
  DEPLOYER: z.string().optional().describe('signer that pays for `mintrail token deploy`, named as those above; it never holds a role'),
  CONFIRMATIONS: z
    .union([z.coerce.number().int().min(0), z.enum(['safe', 'finalized'])])
    .describe('blocks on top before an outcome counts, or `safe` or `finalized`'),
  START_BLOCK: z.coerce.number().int().min(0).default(0).describe('block from which the tokens are indexed'),
  BLOCK_TIME: z.coerce.number().positive().describe('usual seconds between blocks; paces polling and fee replacement'),
  MAX_BATCH: z.coerce.number().int().min(1).max(500).describe('most orders in one transaction'),
  GENESIS: z
    .string()
    .default('')
    .describe('name of this instance of the chain; only local chains, which can begin anew under the same id, need it'),
});

/** What a network's settings are where no variable says otherwise: they come from the table of chains. */
export function networkDefaults(chain: Chain): { CONFIRMATIONS: string; BLOCK_TIME: string; MAX_BATCH: string } {
  const { confirmations, blockTime, maxBatch } = chainFacts(chain);
  return { CONFIRMATIONS: String(confirmations), BLOCK_TIME: String(blockTime), MAX_BATCH: String(maxBatch) };
}

export type NetworkSettings = z.infer<typeof networkSettingsSchema> & { chain: Chain };
export type Settings = z.infer<typeof settingsSchema> & { networks: Partial<Record<Chain, NetworkSettings>> };

/** Reads all settings. Throws `invalid_settings`, naming every variable that is wrong and what it should be. */
export function loadSettings(env: Record<string, string | undefined> = process.env): Settings {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const wrong: Record<string, string> = {};
  const base = settingsSchema.safeParse(given);
  if (!base.success) for (const issue of base.error.issues) wrong[String(issue.path[0])] = issue.message;
  const networks = readNetworks(given, wrong);
  if (!base.success || Object.keys(wrong).length > 0) throw invalidSettings(wrong);
  return { ...base.data, networks };
}

/** Reads the settings of the networks alone, for what needs no ledger. Throws `invalid_settings`. */
export function loadNetworks(env: Record<string, string | undefined> = process.env): Settings['networks'] {
  const wrong: Record<string, string> = {};
  const networks = readNetworks(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')), wrong);
  if (Object.keys(wrong).length > 0) throw invalidSettings(wrong);
  return networks;
}

/** The settings of one network that may not have a token yet. Throws `invalid_settings`. */
export function loadNetwork(chain: Chain, env: Record<string, string | undefined> = process.env): NetworkSettings {
  const variable = `${chain.toUpperCase()}_TOKENS`;
  // A list without an entry: an empty variable counts as one that is not set.
  return networkSettings({ networks: loadNetworks({ ...env, [variable]: env[variable] || ',' }) }, chain);
}

function readNetworks(given: Record<string, string | undefined>, wrong: Record<string, string>): Settings['networks'] {
  const networks: Settings['networks'] = {};
  for (const chain of chains) {
    const prefix = `${chain.toUpperCase()}_`;
    const own = Object.fromEntries(
      Object.entries(given).flatMap(([key, value]) => (key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [])),
    );
    if (own.TOKENS === undefined) continue;
    const parsed = networkSettingsSchema.safeParse({ ...networkDefaults(chain), ...own });
    if (parsed.success) networks[chain] = { ...parsed.data, chain };
    else for (const issue of parsed.error.issues) wrong[prefix + String(issue.path[0])] = issue.message;
  }
  return networks;
}

function invalidSettings(wrong: Record<string, string>): StopError {
  const lines = Object.entries(wrong).map(([name, text]) => `  ${name}: ${text}`);
  return new StopError({
    code: 'invalid_settings',
    message: `Settings are missing or wrong:\n${lines.join('\n')}\nThe README lists all settings.`,
    fields: wrong,
  });
}

/** Public address of the API, without a slash at the end. */
export function baseUrl(settings: Pick<Settings, 'BASE_URL' | 'PORT'>): string {
  return (settings.BASE_URL ?? `http://localhost:${settings.PORT}`).replace(/\/$/, '');
}

/** Requests per minute; 0 is no limit, which is what the sandbox begins with: there everything is tried out, and measured. */
export function rateLimits(settings: Settings): { application: number; address: number; failedLogins: number } {
  const isProduction = settings.MINTRAIL_ENVIRONMENT === 'production';
  return {
    application: settings.RATE_LIMIT_APPLICATION ?? (isProduction ? 6_000 : 0),
    address: settings.RATE_LIMIT_ADDRESS ?? (isProduction ? 300 : 0),
    failedLogins: settings.RATE_LIMIT_FAILED_LOGINS ?? (isProduction ? 10 : 0),
  };
}

/** The settings of a network. Throws `network_not_configured`, naming the variable to set. */
export function networkSettings(settings: Pick<Settings, 'networks'>, chain: Chain): NetworkSettings {
  const network = settings.networks[chain];
  if (network) return network;
  throw new StopError({
    code: 'network_not_configured',
    message: `The network ${chain} is not configured: set ${chain.toUpperCase()}_TOKENS`,
  });
}

function parseTokens(text: string, context: z.RefinementCtx): Partial<Record<Currency, `0x${string}`>> {
  const tokens: Partial<Record<Currency, `0x${string}`>> = {};
  for (const part of text.split(',').filter(Boolean)) {
    const [name, address] = part.trim().split(':');
    const currency = currencySchema.safeParse(name);
    if (!currency.success || !/^0x[0-9a-fA-F]{40}$/.test(address ?? '')) {
      context.addIssue({ code: 'custom', message: `"${part}" is not of the form eur:0x… (eur, usd, gbp or isk, and an address)` });
    } else tokens[currency.data] = address?.toLowerCase() as `0x${string}`;
  }
  return tokens;
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

function parseSigners(text: string): string[] {
  return text
    .split(',')
    .filter(Boolean)
    .map((reference) => reference.trim());
}
