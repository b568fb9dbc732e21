import { CommanderError } from 'commander';
import { MintrailApiError, MintrailUnreachableError } from '../../client/index.ts';
import { isDatabaseOutage } from '../platform/database.ts';
import type { ErrorCode } from '../platform/error-catalogue.ts';
import { MintrailError, messageOf } from '../platform/errors.ts';
import { printError } from './print.ts';

/** Exit codes of every command. */
export const exitCodes = {
  ok: 0,
  /** It failed, or found a problem. */
  failed: 1,
  /** The command line was wrong. */
  usage: 2,
  /** It was not confirmed, and nothing was done. */
  unconfirmed: 3,
  /** It waits for a second person. */
  waiting: 4,
  /** An outage: the same command may succeed later (EX_TEMPFAIL of sysexits). */
  retry: 75,
} as const;

/** Whether a command line asks for JSON: its errors are JSON, too. */
export function asksForJson(argv: readonly string[] = process.argv): boolean {
  return argv.includes('--json');
}

/** Writes an error to stderr, as text or with `--json` as an object. Returns the exit code. */
export function renderError(error: unknown, argv: readonly string[] = process.argv): number {
  const isCommandLine = error instanceof CommanderError;
  if (isCommandLine && error.exitCode === 0) return exitCodes.ok;
  // Commander has written its text already.
  if (isCommandLine && !asksForJson(argv)) return exitCodes.usage;
  const { code, message, exitCode } = describe(error);
  if (asksForJson(argv)) printError(JSON.stringify({ error: { code, message } }));
  else printError(`Error: ${message}\n(${code})`);
  if (process.env['LOG_LEVEL'] === 'debug' && error instanceof Error) printError(error.stack ?? '');
  return exitCode;
}

function describe(error: unknown): { code: ErrorCode; message: string; exitCode: number } {
  if (error instanceof CommanderError) return { code: 'command_line_wrong', message: textOf(error), exitCode: exitCodes.usage };
  if (error instanceof MintrailError) return { code: error.code, message: textWithFields(error), exitCode: exitCodeOf(error) };
  if (error instanceof MintrailApiError) return { code: 'api_refused', message: error.message, exitCode: exitCodes.failed };
  if (error instanceof MintrailUnreachableError) return { code: 'api_unreachable', message: error.message, exitCode: exitCodes.retry };
  if (isDatabaseOutage(error))
    return {
      code: 'database_unreachable',
      message: `PostgreSQL at DATABASE_URL does not answer: is it running, or the sandbox (\`npm start\`)? ${messageOf(error)}`.trim(),
      exitCode: exitCodes.retry,
    };
  return {
    code: 'unexpected',
    message: `${messageOf(error)}\nLOG_LEVEL=debug shows the stack.`,
    exitCode: exitCodes.failed,
  };
}

/** What is wrong with which field, where the message does not say it. */
function textWithFields({ message, fields = {} }: MintrailError): string {
  const texts = Object.entries(fields).map(([field, text]) => `${field} ${text}`);
  return message === 'Validation errors' && texts.length > 0 ? texts.join('; ') : message;
}

function exitCodeOf({ code, retryable }: MintrailError): number {
  if (code === 'not_confirmed') return exitCodes.unconfirmed;
  return retryable ? exitCodes.retry : exitCodes.failed;
}

function textOf({ code, message }: CommanderError): string {
  const text = code === 'commander.help' ? 'a command is missing' : message.replace(/^error: /, '');
  return `${text} (--help shows the usage)`;
}
