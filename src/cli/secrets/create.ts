import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { generateSecretsKey } from '../../platform/sealing.ts';
import { shellWord } from '../../platform/shell-word.ts';
import { readEnvFile, writeEnvFile } from '../env-file.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';

/** Bits of a password: nobody types it, and nobody guesses it. */
const passwordBits = 256;

/** The variable from which docker-compose.yml takes the password of its PostgreSQL. */
export const databasePassword = 'POSTGRES_PASSWORD';

/** Options of `mintrail secrets create`. */
export interface CreateOptions {
  network?: readonly Chain[];
  /** The environment file that gets a password for the database. */
  write?: string;
  json?: boolean;
}

/** `mintrail secrets create`. Throws `not_possible` and what {@link writeEnvFile} throws. */
export function createSecrets(folder: string, { network = [], write, json = false }: CreateOptions): void {
  const { made, kept } = makeSecrets(secretsOf(folder, network));
  if (write !== undefined && !readEnvFile(write)[databasePassword]) {
    writeEnvFile(write, { [databasePassword]: generatePassword() });
    made.push(`${databasePassword} in ${write}`);
  }
  if (json) return print(renderJson({ made, kept }));
  print(
    [
      ...made.map((name) => `made  ${name}`),
      ...kept.map((name) => `kept  ${name}`),
      ...network.map((chain) => `\nNext, a key for ${chain}:\n${signerCommand(path.join(folder, chain))}`),
    ].join('\n'),
  );
}

/** Files with secrets, and what makes the content of each. */
export type SecretFiles = ReadonlyMap<string, () => string>;

/** The secrets of a deployment with these networks. */
export function secretsOf(folder: string, networks: readonly Chain[]): SecretFiles {
  const files = new Map([[path.join(folder, 'secrets-key'), generateSecretsKey]]);
  for (const chain of networks)
    for (const owner of [chain, `${chain}-deployer`]) files.set(path.join(folder, owner, 'password'), generatePassword);
  return files;
}

/**
 * Makes the secrets that do not exist yet, each different, in files that only this user may read. What exists stays as it is. Returns the files. Throws
 * `not_possible`.
 */
export function makeSecrets(files: SecretFiles): { made: string[]; kept: string[] } {
  const made = [...files].filter(([file, generate]) => writeNew(file, generate)).map(([file]) => file);
  return { made, kept: [...files.keys()].filter((file) => !made.includes(file)) };
}

function signerCommand(folder: string): string {
  return `mintrail signer create --keystore ${shellWord(path.join(folder, 'keystore.json'))} --password-file ${shellWord(path.join(folder, 'password'))}`;
}

/** A password that no person types. */
export function generatePassword(): string {
  return randomBytes(passwordBits / 8).toString('hex');
}

/** With those around it, one by one: `recursive` of Node never ends in a folder that takes no entries, such as /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Whether there was no file. */
function writeNew(file: string, generate: () => string): boolean {
  if (existsSync(file)) return false;
  try {
    makeFolder(path.dirname(file));
    writeFileSync(file, `${generate()}\n`, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StopError({ code: 'not_possible', message: `${file} cannot be written (${code})`, cause });
  }
}
