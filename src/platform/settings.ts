import { z } from 'zod';
import { type Chain, chainFacts, chains } from './chains.ts';
import { StopError } from './errors.ts';
import type { Currency } from './money.ts';
import { networkSettingsSchema } from './settings/network-schema.ts';
import { settingsSchema } from './settings/schema.ts';
import { daysOrEver, type MasterAccount } from './settings/setting-values.ts';
import { variableOf } from './settings/variable.ts';

/** The environment's variables, or others in their place. An empty variable counts as one that is not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The text of a setting's variable; undefined where it is not set, or empty, or what a platform writes there about a service of its own. */
export function settingText(env: Environment, variable: string): string | undefined {
  const text = env[variable];
  return text === undefined || text === '' || isServiceLink(variable, text) ? undefined : text;
}

/** Kubernetes tells each pod of a Service with the name `console` by `CONSOLE_PORT=tcp://10.0.0.1:3010`; links of Docker are the same. */
function isServiceLink(variable: string, text: string): boolean {
  return variable.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(text);
}

/** Name of a setting in {@link Settings}. */
export type SettingName = keyof typeof settingsSchema.shape;
/** Name of a setting in {@link NetworkSettings}. */
export type NetworkSettingName = keyof typeof networkSettingsSchema.shape;

/** The validated settings of one network. */
export type NetworkSettings = z.infer<typeof networkSettingsSchema> & {
  chain: Chain;
  /** In place of the bound that follows from the blocks and the confirmations. No variable sets it, only the simulation. */
  overdueSeconds?: number;
};
/** The validated settings of the service, with those of every configured network. */
export type Settings = z.infer<typeof settingsSchema> & { networks: Partial<Record<Chain, NetworkSettings>> };

/** How much an application, a profile or a user may have at once; 0 is no limit (docs/api.md, Quotas). */
export type QuotaSettings = Settings['quotas'];

/** The quotas where no variable says otherwise. */
export const defaultQuotas: QuotaSettings = loadSomeSettings(['quotas'], {}).quotas;

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
  const parsed: Partial<Settings> = readSettings(settingsSchema, env, invalid, isSandbox(env) ? { defaults: sandboxBank } : {});
  const networks = readNetworks(env, invalid);
  const { bankAccounts = [], retentionDays } = parsed;
  const withoutAccount = Object.values(networks)
    .flatMap(({ tokens }) => Object.keys(tokens) as Currency[])
    .find((currency) => bankAccounts.length > 0 && !payingAccount(bankAccounts, currency));
  if (withoutAccount !== undefined)
    invalid[settingVariable('bankAccounts')] = `has no account for ${withoutAccount}, of which there is a token`;
  const mailFrom = settingVariable('mailFrom');
  if (parsed.smtpUrl !== undefined && settingText(env, mailFrom) === undefined) invalid[mailFrom] = 'is required with SMTP_URL';
  if (retentionDays !== undefined && daysOrEver(retentionDays.events) < daysOrEver(retentionDays.deliveries))
    invalid[settingVariable('retentionDays')] = 'events must not be kept for less than deliveries';
  if (Object.keys(invalid).length > 0) throw invalidSettings(invalid);
  return { ...(parsed as Settings), networks };
}

/** Reads some settings alone, for what needs no ledger. Throws `invalid_settings`. */
export function loadSomeSettings<Name extends SettingName>(names: readonly Name[], env: Environment = process.env): SomeSettings<Name> {
  const invalid: Record<string, string> = {};
  const shape = Object.fromEntries(names.map((name) => [name, settingsSchema.shape[name]]));
  const parsed = readSettings(z.object(shape as Pick<typeof settingsSchema.shape, Name>), env, invalid);
  if (Object.keys(invalid).length > 0) throw invalidSettings(invalid);
  return parsed as SomeSettings<Name>;
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

/** Address at which browsers open the console, without a slash at the end. */
export function consoleUrl(settings: Pick<Settings, 'consoleUrl' | 'consolePort'>): string {
  return (settings.consoleUrl ?? `http://localhost:${settings.consolePort}`).replace(/\/$/, '');
}

/** Whether a second operator has to approve what moves money or grants power. */
export function needsFourEyes({ fourEyes, environment }: Pick<Settings, 'fourEyes' | 'environment'>): boolean {
  return fourEyes === undefined ? environment === 'production' : fourEyes === 'yes';
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
    application: settings.rateLimits.application ?? (isProduction ? 6_000 : 0),
    address: settings.rateLimits.address ?? (isProduction ? 300 : 0),
    failedLogins: settings.rateLimits.failedLogins ?? (isProduction ? 10 : 0),
  };
}

/**
 * Seconds for which the issue of a bank credit below 1.00 (of ISK 100.00) waits at most, to share a transaction with others of its network and currency: an hour,
 * within which somebody who sends cents pays for a few transactions and not for hundreds. In the sandbox everything goes at once, because there everything is tried out.
 */
export function dustWait({ environment }: Pick<Settings, 'environment'>): number {
  return environment === 'production' ? 3_600 : 0;
}

/** The settings of a network. Throws `invalid_settings`, naming the variable to set. */
export function networkSettings(settings: Pick<Settings, 'networks'>, chain: Chain): NetworkSettings {
  const network = settings.networks[chain];
  if (network) return network;
  throw new StopError({
    code: 'invalid_settings',
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

function readNetworks(env: Environment, invalid: Record<string, string>): Settings['networks'] {
  const networks: Settings['networks'] = {};
  for (const chain of chains) {
    if (!env[networkVariable(chain, 'tokens')]) continue;
    const known = Object.keys(invalid).length;
    const parsed = readSettings(networkSettingsSchema, env, invalid, {
      prefix: `${chain.toUpperCase()}_`,
      defaults: networkDefaults(chain),
    });
    const { rpcUrls = [], rpcQuorum = 1 } = parsed;
    // The API reads no chain: it may have the quorum of the workers, and no endpoint.
    const endpoints = rpcUrls.filter((url) => url.startsWith('http')).length;
    if (endpoints > 0 && rpcQuorum > endpoints)
      invalid[networkVariable(chain, 'rpcQuorum')] = `more than the ${endpoints} HTTP endpoints of the network`;
    if (Object.keys(invalid).length === known) networks[chain] = { ...(parsed as NetworkSettings), chain };
  }
  return networks;
}

/** The settings of a schema that are valid; `invalid` gets the variables of the others, and what is wrong with each. */
function readSettings<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  env: Environment,
  invalid: Record<string, string>,
  { prefix = '', defaults = {} }: { prefix?: string; defaults?: Readonly<Record<string, unknown>> } = {},
): Partial<z.infer<z.ZodObject<Shape>>> {
  const read: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    const key = prefix + variableOf(field);
    const text = settingText(env, key);
    const { data, error } = field.safeParse(text ?? defaults[name]);
    if (data !== undefined) read[name] = data;
    // That a setting is missing was said before, with its meaning.
    if (error !== undefined && (text !== undefined || !(key in invalid)))
      invalid[key] = error.issues.map(({ message }) => message).join('; ');
  }
  return read as Partial<z.infer<z.ZodObject<Shape>>>;
}

function invalidSettings(invalid: Record<string, string>): StopError {
  const lines = Object.entries(invalid).map(([name, text]) => `  ${name}: ${text}`);
  return new StopError({
    code: 'invalid_settings',
    message: `Settings are missing or invalid:\n${lines.join('\n')}\ndocs/operations/deployment.md (Settings of a deployment) says what each process needs, docs/settings.md lists all settings.`,
    fields: invalid,
  });
}
