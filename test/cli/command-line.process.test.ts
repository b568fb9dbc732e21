import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { mintrail, mintrailProcess } from '../support/processes/mintrail.ts';

describe('the command line', () => {
  it('shows with --help what there is, and ends with 0', async () => {
    const { code, stdout } = await mintrailProcess(['--help']);
    expect(code).toBe(0);
    for (const command of ['sandbox', 'api', 'worker', 'indexer', 'migrate', 'bank', 'orders', 'status']) expect(stdout).toContain(command);
    expect(stdout).toMatch(
      /Exit codes: 0 success, 1 failure or a problem found, 2 wrong command line,\n3 not confirmed .*, 4 waits for a second person, 75 outage/,
    );
  });

  it.each([
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['status', '--frobnicate'], /unknown option '--frobnicate'/],
    [['indexer'], /required option '--chain <name>' not specified/],
    [['indexer', '--chain', 'bitcoin'], /Allowed choices are ethereum, gnosis/],
    [['orders', '--limit', 'many'], /It must be a whole number from 1 to 1000/],
    [['orders', 'show'], /missing required argument 'id'/],
    [['sandbox', '--block-time', '0'], /It must be a number of seconds, more than 0/],
  ])('ends with 2 for %j and says what is wrong', async (args, text) => {
    const { code, stderr, stdout } = await mintrail(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(text);
  });

  it.each([
    [['bank', 'explain', 'D1', '--json'], "required option '--as <what>' not specified"],
    [['bank', '--json'], "unknown option '--json'"],
  ])('ends with 2 for %j and says what is wrong as JSON', async (args, text) => {
    const { code, stderr, stdout } = await mintrail(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'command_line_wrong', message: expect.stringContaining(text) } });
  });

  it('ends quietly when nobody reads on', async () => {
    const program = fileURLToPath(new URL('../../src/cli/mintrail.mjs', import.meta.url));
    const { stderr } = await promisify(execFile)('bash', ['-c', '"$0" "$1" chain list --json | head -c 1', process.execPath, program]);
    expect(stderr).toBe('');
  });

  it('ends with 1 when a setting is missing, and names it', async () => {
    const { code, stderr } = await mintrail(['api']);
    expect(code).toBe(1);
    expect(stderr).toContain('DATABASE_URL: is not set: PostgreSQL 15');
    expect(stderr).toContain('(invalid_settings)');
    expect(stderr).not.toContain('    at ');
  });

  it.each([
    ['FOUR_EYES', 'on'],
    ['METRICS_PORT', '70000'],
    ['CONSOLE_URL', 'http://console of mine'],
  ])('refuses a sandbox with %s=%s once, which starts, makes and deletes nothing', async (name, value) => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'mintrail-sandbox-settings-'));
    // Its own settings are not those of the shell, however wrong they are there.
    const env = { MINTRAIL_DATA_DIR: dataDir, DATABASE_URL: 'nonsense', CHIADO_TOKENS: 'nonsense', [name]: value };
    const { code, stdout, stderr } = await mintrail(['sandbox', '--fresh'], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^Error: Settings are missing or invalid:\n  ${name}: .+\n.+\n\\(invalid_settings\\)\n$`));
    expect(readdirSync(dataDir)).toEqual([]);
    rmSync(dataDir, { recursive: true });
  });

  it('names everything that the common worker lacks in production at once, by its variable', async () => {
    const { code, stderr } = await mintrail(['worker', '--common', '--chain', 'gnosis'], { GNOSIS_SIGNERS: 'keystore:/key.json' });
    expect(code).toBe(1);
    const named = [...stderr.matchAll(/^  ([A-Z_]+): is not set: [a-zA-Z]/gm)].map(([, name]) => name);
    expect(named.join(' ')).toBe(
      'DATABASE_URL BASE_URL SECRETS_KEY BANK_ACCOUNT BANK_ACCOUNT_NAME BANK_BIC BANK_IBAN_COUNTRY BANK_IBAN_PREFIX BANK_OUTBOX ' +
        'GNOSIS_TOKENS GNOSIS_RPC_URLS GNOSIS_KEYSTORE_PASSWORD',
    );
    expect(stderr).toContain('docs/operations/deployment.md (Settings of a deployment)');
    expect(stderr).not.toMatch(/expected|received|undefined/);
  });

  it('ends with 1 when a worker is told nothing to do', async () => {
    const { code, stderr } = await mintrail(['worker'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Error: Use --chain to name a network, or --common, or both\n(bad_input)\n' });
  });

  it('ends with 75 when the database is out of reach, and tells a program so in JSON', async () => {
    const { code, stderr, stdout } = await mintrailProcess(['status', '--json'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' });
    expect({ code, stdout }).toEqual({ code: 75, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'database_unreachable', message: expect.stringContaining('DATABASE_URL') as string },
    });
  });

  it('shows where an unexpected error came from only when it is asked to', async () => {
    const DATABASE_URL = 'postgres://127.0.0.1:1/none';
    expect((await mintrail(['status'], { DATABASE_URL, LOG_LEVEL: 'debug' })).stderr).toContain('    at ');
  });
});
