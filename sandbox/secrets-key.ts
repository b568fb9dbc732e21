import { existsSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generateSecretsKey } from '../src/platform/sealing.ts';

/** File in the data folder with the key that seals secrets in the sandbox's database. */
export const secretsKeyFile = 'secrets.key';

/** The absolute path of the key's file, which only this user may read. It is written at the first start, whole or not at all. */
export function provideSecretsKey(dataDir: string): string {
  const file = path.resolve(dataDir, secretsKeyFile);
  if (existsSync(file)) return file;
  writeFileSync(`${file}.new`, `${generateSecretsKey()}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return file;
}
