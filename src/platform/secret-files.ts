import { realpathSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { chainsOf } from './chains.ts';
import { type Environment, networkVariable, type Settings, settingVariable } from './settings.ts';

/** Variable of a process that names the file of `--settings`, absolute. The command line sets it for itself; it is no setting. */
export const settingsFileVariable = 'MINTRAIL_SETTINGS_FILE';

/** A file with a key or a password: one that a setting names, or the file of the settings. */
export interface SecretFile {
  /** The variable that names it, or `--settings`. */
  variable: string;
  file: string;
}

/** Where Docker and Podman mount secrets. */
const mountedSecrets = ['/run/secrets', '/var/run/secrets'];

/** The type of tmpfs in statfs(2). */
const tmpfsType = 0x01021994;

/** The files with keys and passwords that the settings name: of `SECRETS_KEY`, keystores, and their passwords. */
export function secretFiles(settings: Settings): SecretFile[] {
  const { secretsKey, secretsKeysOld, swapSigner } = settings;
  const named: [variable: string, values: (string | undefined)[]][] = [
    [settingVariable('secretsKey'), [secretsKey]],
    [settingVariable('secretsKeysOld'), secretsKeysOld.split(',')],
    [settingVariable('swapSigner'), [swapSigner]],
    ...chainsOf(settings.networks).flatMap((chain): [string, (string | undefined)[]][] => {
      const network = settings.networks[chain];
      return [
        [networkVariable(chain, 'signers'), network?.signers ?? []],
        [networkVariable(chain, 'keystorePassword'), [network?.keystorePassword]],
        [networkVariable(chain, 'deployer'), [network?.deployer]],
        [networkVariable(chain, 'deployerPassword'), [network?.deployerPassword]],
      ];
    }),
  ];
  return named.flatMap(([variable, values]) => values.flatMap((value) => fileOf(variable, value?.trim())));
}

/**
 * Those that every user of the machine can read, with the file of the settings themselves, which has the database's password. The group may: it is
 * how service managers hand a file to a process. A file of a container's own secrets in memory is in nobody else's reach, whatever its mode
 * (docs/operations/runbooks/secret_readable.md).
 */
export function readableSecrets(settings: Settings, env: Environment = process.env): SecretFile[] {
  const settingsFile = env[settingsFileVariable];
  const files = [...(settingsFile ? [{ variable: '--settings', file: settingsFile }] : []), ...secretFiles(settings)];
  return files.filter(({ file }) => isReadableByAll(file));
}

/** What is wrong with a file that every user can read, and the remedy. */
export function readableText({ variable, file }: SecretFile): string {
  return `every user of this machine can read ${file} of ${variable}: chmod 600 ${file}, and make a new secret if somebody may have read it`;
}

function fileOf(variable: string, value: string | undefined): SecretFile[] {
  const file = /^(?:file|keystore):(.+)$/.exec(value ?? '')?.[1];
  return file === undefined ? [] : [{ variable, file }];
}

/** False for a file that is not there: what needs it says so itself. */
function isReadableByAll(name: string): boolean {
  try {
    const file = realpathSync(name);
    if ((statSync(file).mode & 0o004) === 0) return false;
    if (mountedSecrets.some((folder) => file.startsWith(`${folder}/`)) && statfsSync(file).type === tmpfsType) return false;
    for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
      if ((statSync(folder).mode & 0o001) === 0) return false;
      if (folder === path.dirname(folder)) return true;
    }
  } catch {
    return false;
  }
}
