import { readFileSync } from 'node:fs';
import { StopError } from '../../platform/errors.ts';

/**
 * The password of a setting: the setting itself, or for `file:PATH` the content of a file without its last line break. `variable` names the setting in
 * messages. Throws `invalid_settings`.
 */
export function readPassword(setting: string | undefined, variable = '<NETWORK>_KEYSTORE_PASSWORD'): string {
  if (setting === undefined || setting === '')
    throw new StopError({
      code: 'invalid_settings',
      message: `A keystore needs a password: set ${variable}, best to file:PATH of a file that holds it`,
    });
  if (!setting.startsWith('file:')) return setting;
  const path = setting.slice('file:'.length);
  const password = readLine(path);
  if (password !== '') return password;
  throw new StopError({ code: 'invalid_settings', message: `The password file ${path} is empty` });
}

function readLine(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StopError({ code: 'invalid_settings', message: `The password file ${path} cannot be read (${code})` });
  }
}
