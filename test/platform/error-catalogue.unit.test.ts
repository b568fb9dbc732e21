import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../src/platform/error-catalogue.ts';

const source = path.join(import.meta.dirname, '../../src');

describe('the catalogue of errors', () => {
  it('has no code that the source never uses', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith(path.join('platform', 'error-codes')),
    );
    const text = files.map((file) => readFileSync(path.join(source, file), 'utf8')).join('\n');
    const unused = Object.keys(errorCatalogue).filter((code) => !text.includes(`'${code}'`));
    expect(unused).toEqual([]);
  });

  it('answers each retryable error with 429 or 503', () => {
    const wrong = Object.entries(errorCatalogue).filter(
      ([, { status, retryable }]) => retryable && status !== undefined && status !== 429 && status !== 503,
    );
    expect(wrong).toEqual([]);
  });

  it('says of each code in a sentence what it means and what to do', () => {
    for (const [code, { meaning, remedy }] of Object.entries(errorCatalogue)) {
      expect(code).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
      expect([meaning, remedy]).toEqual([expect.stringMatching(/^\S.*\.$/), expect.stringMatching(/^\S.*\.$/)]);
    }
  });
});
