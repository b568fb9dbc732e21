import { Command, Option } from 'commander';
import { readFileSync } from 'node:fs';
import { addAddressCommands } from './address/command.ts';
import { addAppCommands } from './app/command.ts';
import { addAuditCommand } from './audit/command.ts';
import { addBankCommands } from './bank/command.ts';
import { addBookCommands } from './book/command.ts';
import { addChainCommands } from './chain/command.ts';
import { addDemoCommand } from './demo/command.ts';
import { useEnvFile } from './env-file.ts';
import { addMigrateCommand } from './migrate/command.ts';
import { addOperatorCommands } from './operator/command.ts';
import { addOrdersCommand } from './orders/command.ts';
import { addPaymentsCommand } from './payments/command.ts';
import { addProfileCommands } from './profile/command.ts';
import { addReconcileCommand } from './reconcile/command.ts';
import { addRecoverCommand } from './recover/command.ts';
import { addRetentionCommand } from './retention/command.ts';
import { addSafeCommands } from './safe/command.ts';
import { addSandboxCommand } from './sandbox/command.ts';
import { addSecretsCommands } from './secrets/command.ts';
import { addServiceCommands } from './services/command.ts';
import { addSignerCommands } from './signer/command.ts';
import { addStatusCommand } from './status/command.ts';
import { addTokenCommands } from './token/command.ts';
import { addTraceCommand } from './trace/command.ts';
import { addUserCommands } from './user/command.ts';
import { addWalletCommands } from './wallet/command.ts';
import { addWebhookCommands } from './webhook/command.ts';
import { actAsCaller, addOperatorOptions } from './operator.ts';
import { asksForJson, exitCodes } from './render-error.ts';

const { version, description } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Record<string, string>;

/** These run the service. Every other command acts for the operator who calls it, whom the audit log names. */
const serviceCommands = new Set(['api', 'console', 'worker', 'indexer', 'sandbox', 'demo', 'migrate', 'listen']);

/** The command `mintrail` with all its subcommands. Parsing throws CommanderError for a wrong command line and for `--help`. */
export function createProgram(argv: readonly string[] = process.argv): Command {
  const program = new Command('mintrail')
    .description(description ?? '')
    .version(version ?? '')
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

Exit codes: ${exitCodes.ok} success, ${exitCodes.failed} failure or a problem found, ${exitCodes.usage} wrong command line, ${exitCodes.retry} outage, try again later.`,
    );
  for (const add of [
    addSandboxCommand,
    addDemoCommand,
    addServiceCommands,
    addMigrateCommand,
    addAddressCommands,
    addAppCommands,
    addAuditCommand,
    addBankCommands,
    addBookCommands,
    addChainCommands,
    addOperatorCommands,
    addOrdersCommand,
    addPaymentsCommand,
    addProfileCommands,
    addReconcileCommand,
    addRecoverCommand,
    addRetentionCommand,
    addSafeCommands,
    addSecretsCommands,
    addSignerCommands,
    addStatusCommand,
    addTokenCommands,
    addTraceCommand,
    addUserCommands,
    addWalletCommands,
    addWebhookCommands,
  ])
    add(program);
  addOperatorOptions(program);
  return program.hook('preAction', (_, command) => {
    const { settings } = program.opts<{ settings?: string }>();
    if (settings !== undefined) useEnvFile(settings);
    if (!serviceCommands.has(command.name())) actAsCaller(command);
  });
}
