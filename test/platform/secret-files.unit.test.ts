import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { readableSecrets, readableText, secretFiles } from '../../src/platform/secret-files.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { testFolder } from '../support/test-folder.ts';

const root = testFolder();
const folder = path.join(root, 'secrets');
const file = (name: string) => path.join(folder, name);

const settings = loadSettings({
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  SECRETS_KEY: `file:${file('key')}`,
  SECRETS_KEYS_OLD: `file:${file('old')},AAAA`,
  GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)}`,
  GNOSIS_SIGNERS: `keystore:${file('keystore')},awskms:alias/operator`,
  GNOSIS_KEYSTORE_PASSWORD: `file:${file('password')}`,
  GNOSIS_DEPLOYER_PASSWORD: 'in the variable',
});
const names = ['key', 'old', 'keystore', 'password'];

beforeEach(() => {
  chmodSync(root, 0o755);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  for (const name of names) {
    writeFileSync(file(name), 'x');
    chmodSync(file(name), 0o640);
  }
});

it('knows the files that the settings name', () => {
  expect(secretFiles(settings)).toEqual([
    { variable: 'SECRETS_KEY', file: file('key') },
    { variable: 'SECRETS_KEYS_OLD', file: file('old') },
    { variable: 'GNOSIS_SIGNERS', file: file('keystore') },
    { variable: 'GNOSIS_KEYSTORE_PASSWORD', file: file('password') },
  ]);
});

it('names those that everybody can read, each with a remedy; a group may read them, and a file that is not there is none of them', () => {
  expect(readableSecrets(settings)).toEqual([]);
  chmodSync(file('password'), 0o644);
  rmSync(file('old'));
  const found = readableSecrets(settings);
  expect(found).toEqual([{ variable: 'GNOSIS_KEYSTORE_PASSWORD', file: file('password') }]);
  expect(found.map(readableText)).toEqual([
    expect.stringContaining(`${file('password')} of GNOSIS_KEYSTORE_PASSWORD: chmod 600 ${file('password')}`),
  ]);
});

it('names the file of --settings, in which the password of the database is', () => {
  writeFileSync(file('.env'), 'DATABASE_URL=postgres://mintrail:secret@127.0.0.1/mintrail\n');
  chmodSync(file('.env'), 0o644);
  const env = { MINTRAIL_SETTINGS_FILE: file('.env') };
  expect(readableSecrets(settings, env).map(readableText)).toEqual([
    expect.stringContaining(`${file('.env')} of --settings: chmod 600 ${file('.env')}`),
  ]);
  chmodSync(file('.env'), 0o600);
  expect(readableSecrets(settings, env)).toEqual([]);
});

it('leaves out files in a folder that others cannot enter', () => {
  for (const name of names) chmodSync(file(name), 0o644);
  expect(readableSecrets(settings)).toHaveLength(names.length);
  chmodSync(root, 0o700);
  expect(readableSecrets(settings)).toEqual([]);
});
