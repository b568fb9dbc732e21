import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { mintrail } from '../../support/processes/mintrail.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-sandbox-settings-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

it.each([
  ['FOUR_EYES', 'on'],
  ['METRICS_PORT', '70000'],
  ['CONSOLE_URL', 'http://console of mine'],
])('a sandbox with %s=%s says so once, and starts, makes and deletes nothing', async (name, value) => {
  // Its own settings are not those of the shell, however wrong they are there.
  const env = { MINTRAIL_DATA_DIR: dataDir, DATABASE_URL: 'nonsense', CHIADO_TOKENS: 'nonsense', [name]: value };
  const { code, stdout, stderr } = await mintrail(['sandbox', '--fresh'], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(new RegExp(`^Error: Settings are missing or invalid:\n  ${name}: .+\n.+\n\\(invalid_settings\\)\n$`));
  expect(readdirSync(dataDir)).toEqual([]);
});
