import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedSandbox } from '../../scenarios/shared-sandbox.ts';

/** They bring 243 packages, so that they are fetched by `npm run lint:openapi` alone and are no dependencies. */
const redocly = ['@redocly/cli@2.77.0', 'lint', 'openapi.json', '--format', 'json'];
const spectral = ['@stoplight/spectral-cli@6.16.3', 'lint', 'openapi.json', '--ruleset', 'ruleset.json', '--format', 'json'];

describe.skipIf(process.env['OPENAPI_LINT'] !== 'on')('the document of a running sandbox, read by the linters that integrators use', () => {
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'mintrail-openapi-'));
    const { file } = await sharedSandbox();
    writeFileSync(path.join(folder, 'openapi.json'), await (await fetch(`${file.apiUrl}/openapi.json`)).text());
    writeFileSync(path.join(folder, 'ruleset.json'), '{ "extends": "spectral:oas" }');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What a linter prints; it ends with 1 where it finds an error. */
  async function lint(linter: string[]): Promise<unknown> {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const { stdout } = await promisify(execFile)('npx', ['--yes', ...linter], { cwd: folder, env, maxBuffer: 2 ** 26 }).catch(
      (error: { stdout: string }) => error,
    );
    return JSON.parse(stdout);
  }

  it('has no error for Redocly', async () => {
    const { problems } = (await lint(redocly)) as { problems: { severity: string }[] };
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('has no error for Spectral', async () => {
    const problems = (await lint(spectral)) as { severity: number }[];
    expect(problems.filter(({ severity }) => severity === 0)).toEqual([]);
  });
});
