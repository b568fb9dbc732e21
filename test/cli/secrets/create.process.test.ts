import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSealer } from '../../../src/platform/sealing.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();

const secrets = path.join(folder, 'secrets');
const envFile = path.join(folder, '.env');
const files = ['secrets-key', ...['gnosis', 'gnosis-deployer', 'base', 'base-deployer'].map((name) => `${name}/password`)];
const contents = () => [...files.map((name) => readFileSync(path.join(secrets, name), 'utf8')), readFileSync(envFile, 'utf8')];

it('makes a key and passwords that all differ, for this user alone, and prints none; a second time it keeps them', async () => {
  const args = ['secrets', 'create', secrets, '--network', 'gnosis', '--network', 'base', '--write', envFile];
  const { code, stdout } = await mintrail(args);
  expect(code).toBe(0);
  const made = contents();
  expect(new Set(made).size).toBe(files.length + 1);
  for (const text of made) expect(stdout).not.toContain(text.trim().replace('POSTGRES_PASSWORD=', ''));
  for (const file of [...files.map((name) => path.join(secrets, name)), envFile]) expect(statSync(file).mode & 0o777, file).toBe(0o600);
  for (const name of ['.', 'gnosis']) expect(statSync(path.join(secrets, name)).mode & 0o777).toBe(0o700);
  expect(openSealer({ secretsKey: `file:${path.join(secrets, 'secrets-key')}`, secretsKeysOld: '' }).keyId).toMatch(/^[0-9a-f]{16}$/);
  expect(stdout).toContain(`mintrail signer create --keystore ${secrets}/base/keystore.json --password-file ${secrets}/base/password`);
  const again = await mintrail([...args, '--json']);
  expect(JSON.parse(again.stdout)).toEqual({ made: [], kept: files.map((name) => path.join(secrets, name)) });
  expect(contents()).toEqual(made);
});

it.each([
  ['/dev/null/secrets', 'ENOTDIR'],
  ['/proc/secrets', 'ENOENT'],
])('says which file it cannot write: in %s', async (unwritable, error) => {
  const { code, stderr } = await mintrail(['secrets', 'create', unwritable]);
  expect(code).toBe(1);
  expect(stderr).toContain(`${unwritable}/secrets-key cannot be written (${error})\n(not_possible)`);
});
