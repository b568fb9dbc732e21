import { Command, Option } from 'commander';
import { readFileSync } from 'node:fs';
import { useEnvFile } from './env-file.ts';
import { version } from '../platform/process/version.ts';
import { actAsCaller, addOperatorOptions } from './operator.ts';
import { asksForJson, exitCodes } from './render-error.ts';

const { description } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Record<string, string>;

/** What adds commands to a program, by the first word of each. */
export type Commands = Readonly<Record<string, () => Promise<(program: Command) => void>>>;

/** The commands of the service. `services` has those of the processes. */
const commands = {
  services: async () => (await import('./services/command.ts')).addServiceCommands,
  migrate: async () => (await import('./migrate/command.ts')).addMigrateCommand,
  address: async () => (await import('./address/command.ts')).addAddressCommands,
  app: async () => (await import('./app/command.ts')).addAppCommands,
  audit: async () => (await import('./audit/command.ts')).addAuditCommand,
  bank: async () => (await import('./bank/command.ts')).addBankCommands,
  book: async () => (await import('./book/command.ts')).addBookCommands,
  chain: async () => (await import('./chain/command.ts')).addChainCommands,
  operator: async () => (await import('./operator/command.ts')).addOperatorCommands,
  orders: async () => (await import('./orders/command.ts')).addOrdersCommand,
  payments: async () => (await import('./payments/command.ts')).addPaymentsCommand,
  profile: async () => (await import('./profile/command.ts')).addProfileCommands,
  reconcile: async () => (await import('./reconcile/command.ts')).addReconcileCommand,
  recover: async () => (await import('./recover/command.ts')).addRecoverCommand,
  retention: async () => (await import('./retention/command.ts')).addRetentionCommand,
  safe: async () => (await import('./safe/command.ts')).addSafeCommands,
  secrets: async () => (await import('./secrets/command.ts')).addSecretsCommands,
  setup: async () => (await import('./setup/command.ts')).addSetupCommand,
  signer: async () => (await import('./signer/command.ts')).addSignerCommands,
  status: async () => (await import('./status/command.ts')).addStatusCommand,
  token: async () => (await import('./token/command.ts')).addTokenCommands,
  trace: async () => (await import('./trace/command.ts')).addTraceCommand,
  user: async () => (await import('./user/command.ts')).addUserCommands,
  wallet: async () => (await import('./wallet/command.ts')).addWalletCommands,
  webhook: async () => (await import('./webhook/command.ts')).addWebhookCommands,
} satisfies Commands;

/** The processes. */
const serviceNames = new Set(['api', 'console', 'worker', 'indexer']);

/** These run the service. Every other command acts for the operator who calls it, whom the audit log names. */
const serviceCommands = new Set([...serviceNames, 'sandbox', 'demo', 'migrate', 'listen']);

/**
 * The command `mintrail` with the subcommands that a command line may mean: all, unless it names one. To load the libraries of all takes longer than most
 * commands. `more` are those of a checkout, which the service itself does not have. Parsing throws CommanderError for a wrong command line and for `--help`.
 */
export async function createProgram(argv: readonly string[], more: Commands = {}): Promise<Command> {
  const program = new Command('mintrail')
    .description(description ?? '')
    .version(version)
    .showHelpAfterError('(--help shows the usage)')
    .exitOverride()
    // With `--json` the error itself is written, as an object.
    .configureOutput(asksForJson(argv) ? { writeErr: () => {} } : {})
    // A command and its subcommands have options of one name, such as `--json`.
    .enablePositionalOptions()
    // Not --env-file: Node takes that option for itself, wherever it is.
    .addOption(new Option('--settings <file>', 'file of NAME=value lines, whose settings are used where the environment has none'))
    .addHelpText(
      'after',
      `
Settings are environment variables; docs/settings.md lists them. When DATABASE_URL is not set, commands use the sandbox whose data is in
MINTRAIL_DATA_DIR (.mintrail). \`mintrail --settings FILE COMMAND\` reads them from a file.

Exit codes: ${exitCodes.ok} success, ${exitCodes.failed} failure or a problem found, ${exitCodes.usage} wrong command line,
${exitCodes.unconfirmed} not confirmed (--yes), nothing was done, ${exitCodes.waiting} waits for a second person, ${exitCodes.retry} outage, try again later.`,
    );
  for (const add of await loadCommands(argv.slice(2), { ...more, ...commands })) add(program);
  addOperatorOptions(program);
  return program.hook('preAction', (_, command) => {
    const { settings } = program.opts<{ settings?: string }>();
    if (settings !== undefined) useEnvFile(settings);
    if (!serviceCommands.has(command.name())) actAsCaller(command);
  });
}

/** Loads the command that the arguments begin with, behind options of the program, or else all. */
async function loadCommands(args: readonly string[], all: Commands): Promise<((program: Command) => void)[]> {
  const first = args.findIndex((arg, index) => !/^--(settings|as)(=|$)/.test(arg) && !/^--(settings|as)$/.test(args[index - 1] ?? ''));
  const name = args[first] ?? '';
  const load = Object.entries(all).find(([word]) => word === (serviceNames.has(name) ? 'services' : name))?.[1];
  return Promise.all((load ? [load] : Object.values(all)).map((loadCommand) => loadCommand()));
}
