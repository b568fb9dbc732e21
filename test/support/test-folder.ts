import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/** A folder for the tests of a file, which is removed after the last of them. */
export function testFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
