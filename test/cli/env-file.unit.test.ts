import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readEnvFile, useEnvFile, writeEnvFile } from '../../src/cli/env-file.ts';
import { settingsFileVariable } from '../../src/platform/secret-files.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mintrail-env-'));
  file = path.join(folder, 'mintrail.env');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a new file is for its owner alone', () => {
  writeEnvFile(file, { A: '1' });
  expect(readFileSync(file, 'utf8')).toBe('A=1\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a variable is replaced where it stands, and all else stays', () => {
  writeFileSync(file, '# the bank\nBANK_BIC=X\n\nexport A = old\nB=2', { mode: 0o644 });
  writeEnvFile(file, { A: 'https://x.example/?k=v', C: '3' });
  expect(readFileSync(file, 'utf8')).toBe('# the bank\nBANK_BIC=X\n\nA=https://x.example/?k=v\nB=2\nC=3\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('a value of which a shell or compose would make something else is quoted, and read as it was', () => {
  const values = { A: 'https://user:pa$word@rpc.example/', B: 'x #1', C: 'pass#word', D: 'Mintrail ehf.' };
  writeEnvFile(file, values);
  expect(readFileSync(file, 'utf8')).toBe("A='https://user:pa$word@rpc.example/'\nB='x #1'\nC='pass#word'\nD='Mintrail ehf.'\n");
  expect(readEnvFile(file)).toEqual(values);
});

it('a variable that stood there twice stands there once', () => {
  writeFileSync(file, 'A=1\nB=2\nA=3\n');
  writeEnvFile(file, { A: '4' });
  writeEnvFile(file, { A: '4' });
  expect(readFileSync(file, 'utf8')).toBe('A=4\nB=2\n');
});

it('a value with a line break, which would be another variable, changes nothing', () => {
  writeFileSync(file, 'A=1\n');
  expect(() => writeEnvFile(file, { A: 'x\nB=2' })).toThrow('The value of A contains a line break');
  expect(readFileSync(file, 'utf8')).toBe('A=1\n');
});

it('a folder that is not there is named, and nothing is left behind', () => {
  expect(() => writeEnvFile(path.join(folder, 'none', 'x.env'), { A: '1' })).toThrow(/none.*cannot be written/);
  expect(readdirSync(folder)).toEqual([]);
  expect(existsSync(file)).toBe(false);
  expect(readEnvFile(file)).toEqual({});
});

it('settings of a file are used where the environment has none, and an empty variable is none, nor is the address of a service in a port', () => {
  const lines = ['A=file', 'B=file', 'C=https://x.example/?k=v&l=w', 'PORT=3010'];
  writeFileSync(file, lines.map((line) => `MINTRAIL_TEST_${line}\n`).join(''));
  vi.stubEnv('MINTRAIL_TEST_A', 'environment');
  vi.stubEnv('MINTRAIL_TEST_B', '');
  vi.stubEnv('MINTRAIL_TEST_C', undefined);
  vi.stubEnv('MINTRAIL_TEST_PORT', 'tcp://10.0.0.1:3010');
  vi.stubEnv(settingsFileVariable, undefined);
  useEnvFile(path.relative('', file));
  const read = ['A', 'B', 'C', 'PORT'].map((name) => process.env[`MINTRAIL_TEST_${name}`]);
  const settingsFile = process.env[settingsFileVariable];
  vi.unstubAllEnvs();
  expect(read).toEqual(['environment', 'file', 'https://x.example/?k=v&l=w', '3010']);
  expect(settingsFile).toBe(file);
});

it('a file of settings that does not exist is an error', () => {
  expect(() => useEnvFile(file)).toThrow(`${file} does not exist`);
});
