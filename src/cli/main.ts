import { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { actAsOperator } from '../platform/acting.ts';
import { addAppCommands } from './app/command.ts';
import { addAuditCommand } from './audit/command.ts';
import { addBankCommands } from './bank/command.ts';
import { addChainCommands } from './chain/command.ts';
import { addDemoCommand } from './demo/command.ts';
import { addMigrateCommand } from './migrate/command.ts';
import { addOrdersCommand } from './orders/command.ts';
import { addPaymentsCommand } from './payments/command.ts';
import { addProfileCommands } from './profile/command.ts';
import { addReconcileCommand } from './reconcile/command.ts';
import { addSandboxCommand } from './sandbox/command.ts';
import { addServiceCommands } from './services/command.ts';
import { addSignerCommands } from './signer/command.ts';
import { addStatusCommand } from './status/command.ts';
import { addTokenCommands } from './token/command.ts';
import { addWalletCommands } from './wallet/command.ts';
import { addWebhookCommands } from './webhook/command.ts';
import { exitCodes, renderError } from './render-error.ts';

const { version, description } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Record<string, string>;

const program = new Command('mintrail')
  .description(description ?? '')
  .version(version ?? '')
  .showHelpAfterError('(add --help to see how it is used)')
  .exitOverride()
  .addHelpText(
    'after',
    `
Settings are environment variables; docs/settings.md lists them. Where DATABASE_URL is not set, commands look at the sandbox in
MINTRAIL_DATA_DIR (.mintrail).

Exit codes: ${exitCodes.ok} done, ${exitCodes.failed} failed or not well, ${exitCodes.usage} wrong command line, ${exitCodes.retry} outage: try again.`,
  );

addSandboxCommand(program);
addDemoCommand(program);
addServiceCommands(program);
addMigrateCommand(program);
addAppCommands(program);
addAuditCommand(program);
addBankCommands(program);
addChainCommands(program);
addOrdersCommand(program);
addPaymentsCommand(program);
addProfileCommands(program);
addReconcileCommand(program);
addSignerCommands(program);
addStatusCommand(program);
addTokenCommands(program);
addWalletCommands(program);
addWebhookCommands(program);

/** These run the service; what any other command changes, its operator changes. */
const services = new Set(['api', 'worker', 'indexer', 'sandbox', 'demo', 'migrate', 'listen']);
program.hook('preAction', (_, command) => {
  if (!services.has(command.name())) actAsOperator(userInfo().username, randomUUID());
});

try {
  await program.parseAsync();
} catch (error) {
  const exitCode = renderError(error);
  // A channel or a pool that is still open must not keep a failed command alive.
  if (exitCode !== exitCodes.ok) process.exit(exitCode);
}
