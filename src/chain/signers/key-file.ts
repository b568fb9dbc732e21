import { readFileSync } from 'node:fs';
import { StopError } from '../../platform/errors.ts';

/** The raw keys in a file, separated by white space or commas. Throws `invalid_settings` when there is none or the file is unreadable. */
export function readKeys(path: string): string[] {
  const keys = readText(path)
    .split(/[\s,]+/)
    .filter(Boolean);
  if (keys.length > 0) return keys;
  throw new StopError({ code: 'invalid_settings', message: `There is no signer key in ${path}` });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StopError({ code: 'invalid_settings', message: `The signer keys cannot be read from ${path} (${code})` });
  }
}
