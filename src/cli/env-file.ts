import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { messageOf, StopError } from '../platform/errors.ts';
import { settingsFileVariable } from '../platform/secret-files.ts';
import { settingText } from '../platform/settings.ts';

/** The variables of a file of `NAME=value` lines; none when there is no file. Throws `file_unreadable`. */
export function readEnvFile(file: string): Record<string, string> {
  try {
    return existsSync(file) ? (parseEnv(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  } catch (cause) {
    throw new StopError({ code: 'file_unreadable', message: `${file} cannot be read: ${messageOf(cause)}`, cause });
  }
}

/**
 * Gives this process the variables of a file that its environment does not have, and the path of the file, whose mode is looked at
 * (`secret_readable`), as {@link settingText} has it. Throws `file_unreadable`.
 */
export function useEnvFile(file: string): void {
  if (!existsSync(file)) throw new StopError({ code: 'file_unreadable', message: `${file} does not exist` });
  for (const [name, value] of Object.entries(readEnvFile(file)))
    if (settingText(process.env, name) === undefined) process.env[name] = value;
  process.env[settingsFileVariable] = path.resolve(file);
}

/**
 * Sets variables in a file that only this user may read, each on one line, and keeps all other lines. The file is replaced atomically. Throws
 * `bad_input` and `not_possible`.
 */
export function writeEnvFile(file: string, variables: Record<string, string>): void {
  const before = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  if (before.at(-1) === '') before.pop();
  const open = new Map(Object.entries(variables).map(([name, value]) => [name, lineOf(name, value)]));
  const lines = before.flatMap((line) => {
    const name = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/.exec(line)?.[1];
    if (name === undefined || !(name in variables)) return line;
    const newLine = open.get(name) ?? [];
    open.delete(name);
    return newLine;
  });
  lines.push(...open.values());
  const temporary = `${file}.${process.pid}.new`;
  try {
    writeFileSync(temporary, `${lines.join('\n')}\n`, { mode: 0o600 });
    renameSync(temporary, file);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new StopError({ code: 'not_possible', message: `${file} cannot be written: ${messageOf(cause)}`, cause });
  }
}

/**
 * A line that a shell, compose, systemd and Node read alike: what is more than plain stands in single quotes, and in double quotes where it has a single one.
 * Throws `bad_input` for what no quotes hold for all of them.
 */
function lineOf(name: string, value: string): string {
  if (/^[\w.,:/@%+=?-]*$/.test(value)) return `${name}=${value}`;
  if (/[\r\n\0]/.test(value)) throw new StopError({ code: 'bad_input', message: `The value of ${name} contains a line break: remove it` });
  if (!value.includes("'")) return `${name}='${value}'`;
  if (!/["$`\\]/.test(value)) return `${name}="${value}"`;
  throw new StopError({
    code: 'bad_input',
    message: `The value of ${name} contains an apostrophe and one of " $ \` \\, which no quotes of an environment file hold together: leave one of them out`,
  });
}
