import {
  type Environment,
  networkSettingMeaning,
  networkVariable,
  type NetworkSettingName,
  settingMeaning,
  type SettingName,
  settingText,
  settingVariable,
} from '../settings.ts';
import { chains } from '../chains.ts';
import { networkSettingsSchema } from './network-schema.ts';
import { settingsSchema } from './schema.ts';

/** A setting as somebody may see it who must not see secrets. */
export interface DescribedSetting {
  variable: string;
  meaning: string;
  isSet: boolean;
  /** The text of the variable; absent when it is not set, and for what may be or hold a secret. */
  value?: string;
  isSecret: boolean;
}

/** The settings whose values are shown: nothing in them is or contains a secret. A new setting is hidden until it stands here. */
const shown = new Set<SettingName | NetworkSettingName>([
  'environment',
  'port',
  'host',
  'baseUrl',
  'dataDir',
  'databasePrepared',
  'databasePoolSize',
  'mailFrom',
  'serviceName',
  'swapRatesFile',
  'swapRatesMaxAgeSeconds',
  'swapSettlement',
  'indexerPort',
  'tracesShare',
  'logLevel',
  'operators',
  'bankRail',
  'bankInbox',
  'bankIntraday',
  'bankOutbox',
  'bankAccounts',
  'bankAccountName',
  'bankAccountAddress',
  'bankFileSeconds',
  'bankTimeZone',
  'bankHolidays',
  'bankBic',
  'bankIbanCountry',
  'bankIbanPrefix',
  'documentAmounts',
  'paymentLimits',
  'addressParts',
  'consolePort',
  'consoleHost',
  'consoleUrl',
  'fourEyes',
  'metricsPort',
  'trustedProxies',
  'keepAliveSeconds',
  'filesS3Bucket',
  'tokens',
  'confirmations',
  'blockTimeSeconds',
  'maxBatch',
  'feeCeilingGwei',
  'transactionFeeCeiling',
  'gasBudget',
  'rpcQuorum',
  'startBlock',
  'rateLimits',
  'quotas',
  'retentionDays',
  'warnAt',
]);

/** Every setting of the service, and of each network that is configured. Of what is not known to be harmless it is only said whether it is set. */
export function describeSettings(env: Environment): DescribedSetting[] {
  const names = Object.keys(settingsSchema.shape) as SettingName[];
  const networkNames = Object.keys(networkSettingsSchema.shape) as NetworkSettingName[];
  const configured = chains.filter((chain) => env[networkVariable(chain, 'tokens')]);
  return [
    ...names.map((name) => describe(env, { name, variable: settingVariable(name), meaning: settingMeaning(name) })),
    ...configured.flatMap((chain) =>
      networkNames.map((name) => describe(env, { name, variable: networkVariable(chain, name), meaning: networkSettingMeaning(name) })),
    ),
  ];
}

function describe(
  env: Environment,
  { name, variable, meaning }: { name: SettingName | NetworkSettingName; variable: string; meaning: string },
): DescribedSetting {
  const value = settingText(env, variable);
  const isSecret = !shown.has(name);
  return { variable, meaning, isSet: value !== undefined, isSecret, ...(value !== undefined && !isSecret && { value }) };
}
