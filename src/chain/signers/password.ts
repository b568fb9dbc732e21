import { readFileSync } from 'node:fs';
import { StopError } from '../../platform/errors.ts';

/** A password that is given as itself, or as `file:PATH` of a file whose last line break is none of it. Throws `no_keystore_password`. */
export function readPassword(given: string | undefined): string {
  if (given === undefined || given === '')
    throw new StopError({ code: 'no_keystore_password', message: "A keystore needs a password: set the network's KEYSTORE_PASSWORD" });
  if (!given.startsWith('file:')) return given;
  const path = given.slice('file:'.length);
  const password = readLine(path);
  if (password !== '') return password;
  throw new StopError({ code: 'no_keystore_password', message: `The password file ${path} is empty` });
}

function readLine(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StopError({ code: 'no_keystore_password', message: `The password file ${path} cannot be read (${code})` });
  }
}
