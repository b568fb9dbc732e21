import { Command } from 'commander';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { actAsOperator } from '../platform/acting.ts';
import { addAppCommands } from './commands/app.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addBankCommands } from './commands/bank.ts';
import { addChainCommands } from './commands/chain.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addOrdersCommand } from './commands/orders.ts';
import { addPaymentsCommand } from './commands/payments.ts';
import { addProfileCommands } from './commands/profile.ts';
import { addReconcileCommand } from './commands/reconcile.ts';
import { addSandboxCommand } from './commands/sandbox.ts';
import { addServiceCommands } from './commands/services.ts';
import { addSignerCommands } from './commands/signer.ts';
import { addStatusCommand } from './commands/status.ts';
import { addTokenCommands } from './commands/token.ts';
import { addWalletCommands } from './commands/wallet.ts';
import { addWebhookCommands } from './commands/webhook.ts';
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
Settings are environment variables; the README lists them. Where DATABASE_URL is not set, commands look at the sandbox in
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
