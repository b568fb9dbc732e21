import { readFileSync } from 'node:fs';
import { messageOf, StopError } from '../platform/errors.ts';

/** A value from the command line, and how it is shown. */
export interface Argument {
  value: string;
  /** What may be shown: the value itself, or an expression that a shell replaces by it. */
  shown: string;
}

/**
 * Reads an argument that may be a secret. `env:NAME` and `file:PATH` name its source, because other users of the machine can see command lines.
 * Throws `bad_input`.
 */
function readArgument(text: string): Argument {
  if (text.startsWith('env:')) {
    const name = text.slice('env:'.length);
    const value = process.env[name]?.trim();
    if (!value) throw new StopError({ code: 'bad_input', message: `The variable ${name} is not set` });
    return { value, shown: `$${name}` };
  }
  if (text.startsWith('file:')) {
    const path = text.slice('file:'.length);
    try {
      return { value: readFileSync(path, 'utf8').trim(), shown: `$(cat ${path})` };
    } catch (cause) {
      throw new StopError({ code: 'bad_input', message: `${path} cannot be read: ${messageOf(cause)}`, cause });
    }
  }
  return { value: text, shown: text };
}

/** Reads an RPC endpoint. Throws `secret_in_arguments` for one that seems to contain a key and is not named by its source. */
export function readRpcArgument(text: string): Argument {
  const argument = readArgument(text);
  if (argument.shown === text && carriesKey(text)) throw secretInArguments('--rpc', 'This endpoint seems to contain a key');
  return argument;
}

/** Reads a signer. A reference is no secret; a raw key must come from a variable. Throws `secret_in_arguments`. */
export function readSignerArgument(text: string): Argument {
  if (text.startsWith('env:')) return readArgument(text);
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text) || /\/\/[^/]*@/.test(text)) throw secretInArguments('--signer', 'This signer is a secret');
  return { value: text, shown: text };
}

/** Keys have 16 characters and more, or are in the query or before the host. The paths of public endpoints are short. */
function carriesKey(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, search, pathname } = new URL(url);
  return Boolean(username || password || search) || pathname.split('/').some((part) => part.length >= 16);
}

function secretInArguments(option: string, what: string): StopError {
  return new StopError({
    code: 'secret_in_arguments',
    message: `${what}, and other users of this machine can see command lines: put it into a variable or a file, and use ${option} env:NAME${option === '--rpc' ? ' or file:PATH' : ''}`,
  });
}
