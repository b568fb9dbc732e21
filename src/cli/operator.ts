import { type Command, InvalidArgumentError, Option } from 'commander';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { type Actor, actAsOperator } from '../platform/acting.ts';
import { StopError } from '../platform/errors.ts';
import { isOperatorName } from '../platform/settings/setting-values.ts';
import { settingVariable } from '../platform/settings.ts';
import { cliSomeSettings } from './cli-settings.ts';

/** Commands that change the ledger and are no verb, by `changeLedger`. The audit log names who calls them. */
const changing = new Set([
  'bank import',
  'profile create',
  'profile submit',
  // It changes nothing. That somebody took a customer's documents is recorded.
  'profile documents',
  'secrets rotate',
]);

const marked = new WeakSet<Command>();

/** Commands that change something only with one of these options. */
const changingOptions: Readonly<Record<string, readonly string[]>> = { recover: ['apply'] };

/** Commands whose option `--as` is {@link operatorOption}, and not one of their own. */
const withOperatorOption = new WeakSet<Command>();

let current: string | undefined;
/** Names what this command changes in the audit log. */
export const commandCorrelationId = randomUUID();

/** Adds `--as NAME` to the program and to each command that changes something, unless it has another option of that name. */
export function addOperatorOptions(program: Command): void {
  for (const command of [program, ...subcommands(program).filter(changesLedger)]) {
    if (command.options.some(({ long }) => long === '--as')) continue;
    command.addOption(operatorOption());
    withOperatorOption.add(command);
  }
}

/** Makes a command one that changes the ledger. */
export function markAsChange(command: Command): void {
  marked.add(command);
}

/** Whether a command changes the ledger, with some options at least. */
export function changesLedger(command: Command): boolean {
  return marked.has(command) || changing.has(pathOf(command));
}

/**
 * Makes everything that the process writes from now on an act of the operator who calls the command: of `--as`, else of whoever `OPERATORS` says
 * the system's user is, else of the system's user. Throws `operator_unnamed` for a command that changes something in production and is called by
 * a user who may be anybody.
 */
export function actAsCaller(command: Command): void {
  current = operatorOptionOf(command) ?? (isChange(command) ? configuredName(command) : systemUser());
  actAsOperator(current, commandCorrelationId);
}

/** The name of the operator who calls the command, as the audit log and the records of decisions keep it. */
export function operatorName(): string {
  return current ?? systemUser();
}

/** The operator who calls the command, for an entry of the audit log. */
export function callingOperator(): Actor {
  return { kind: 'operator', id: operatorName(), correlationId: commandCorrelationId };
}

function operatorOption(): Option {
  return new Option('--as <name>', 'operator who acts, for the audit log; otherwise who the system user is by OPERATORS').argParser(
    (text) => {
      if (isOperatorName(text) && !isAnybody(text)) return text;
      throw new InvalidArgumentError('It must be the name of a person, of letters, digits and . _ @ -');
    },
  );
}

function configuredName(command: Command): string {
  const user = systemUser();
  const { environment, operators } = cliSomeSettings(['environment', 'operators']);
  const name = operators[user];
  if (environment === 'production' && name === undefined && isAnybody(user)) throw unnamed(command, user);
  return name ?? user;
}

function operatorOptionOf(command: Command): string | undefined {
  for (let at: Command | null = command; at !== null; at = at.parent)
    if (withOperatorOption.has(at) && at.opts()['as'] !== undefined) return at.opts()['as'] as string;
  return undefined;
}

function isChange(command: Command): boolean {
  if (!changesLedger(command)) return false;
  const options = changingOptions[pathOf(command)];
  const values = command.opts<Record<string, unknown>>();
  return options === undefined || options.some((name) => isSet(values[name]));
}

/** Whether an option was used. One that may be repeated is an empty list when it was not. */
function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** Whether a user of the system says nothing about the person: everybody who administers the machine, or the container, can be it. */
function isAnybody(user: string): boolean {
  return user === '' || user === 'root';
}

function unnamed(command: Command, user: string): StopError {
  return new StopError({
    code: 'operator_unnamed',
    message: `The audit log names who changes something, and ${user === '' ? 'the system user has no name' : `${user} can be anybody`}: run \`mintrail --as NAME ${pathOf(command)} …\` with your name, or set ${settingVariable('operators')} to the names of the system's users`,
  });
}

/** Empty when the system has no name for the user of the process, as in a container that runs under any number. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

/** The words that call a command, without the program's name. */
function pathOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}

function subcommands(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...subcommands(child)]);
}
