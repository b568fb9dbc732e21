import { isCancel, password as prompt } from '@clack/prompts';
import { readPassword } from '../../chain/signers/password.ts';
import { StopError } from '../../platform/errors.ts';

/**
 * Reads a keystore's password from a file or the keyboard, never from the command line, which every process of the machine can read. Asks twice
 * for a new one. Throws `bad_input`.
 */
export async function askPassword(file: string | undefined, isNew = false): Promise<string> {
  if (file !== undefined) return readPassword(`file:${file}`);
  if (!process.stdin.isTTY)
    throw new StopError({
      code: 'bad_input',
      message: 'There is no terminal to ask for the password: name a file with --password-file',
    });
  const first = await ask('Password of the keystore');
  if (isNew && (await ask('The same password again')) !== first)
    throw new StopError({ code: 'bad_input', message: 'The two passwords differ: nothing was created' });
  return first;
}

async function ask(message: string): Promise<string> {
  const answer = await prompt({ message, validate: (text) => (text ? undefined : 'It must not be empty.') });
  if (isCancel(answer)) throw new StopError({ code: 'bad_input', message: 'No password was given: nothing was done' });
  return answer;
}
