import { readFileSync } from 'node:fs';
import { messageOf, StopError } from '../platform/errors.ts';

/** A value given on the command line, and how a shell gets at it where it is a secret. */
export interface Argument {
  value: string;
  /** What may be shown: the value itself, or an expression that a shell replaces by it. */
  shown: string;
}

/**
 * An argument that may be a secret: `env:NAME` and `file:PATH` say where it stands, because other users of a machine see command lines.
 * Throws `missing_secret`, naming the place.
 */
export function readArgument(text: string): Argument {
  if (text.startsWith('env:')) {
    const name = text.slice('env:'.length);
    const value = process.env[name]?.trim();
    if (!value) throw new StopError({ code: 'missing_secret', message: `The variable ${name} is not set` });
    return { value, shown: `$${name}` };
  }
  if (text.startsWith('file:')) {
    const path = text.slice('file:'.length);
    try {
      return { value: readFileSync(path, 'utf8').trim(), shown: `$(cat ${path})` };
    } catch (cause) {
      throw new StopError({ code: 'missing_secret', message: `${path} cannot be read: ${messageOf(cause)}`, cause });
    }
  }
  return { value: text, shown: text };
}

/** An RPC endpoint. Throws `secret_in_arguments` when it seems to carry a key and was written out. */
export function readRpcArgument(text: string): Argument {
  const argument = readArgument(text);
  if (argument.shown === text && carriesKey(text)) throw secretInArguments('--rpc', 'This endpoint seems to carry a key');
  return argument;
}

/** A signer: a reference tells nothing and stays as it is; a key itself is only taken from a variable. Throws `secret_in_arguments`. */
export function readSignerArgument(text: string): Argument {
  if (text.startsWith('env:')) return readArgument(text);
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(text) || /\/\/[^/]*@/.test(text)) throw secretInArguments('--signer', 'This signer is a secret');
  return { value: text, shown: text };
}

/** Public endpoints have short paths; keys are 16 characters and more, stand in a query or before the host. */
function carriesKey(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, search, pathname } = new URL(url);
  return Boolean(username || password || search) || pathname.split('/').some((part) => part.length >= 16);
}

function secretInArguments(option: string, what: string): StopError {
  return new StopError({
    code: 'secret_in_arguments',
    message: `${what}, and other users of this machine see command lines: put it into a variable or a file, and give ${option} env:NAME${option === '--rpc' ? ' or file:PATH' : ''}`,
  });
}
