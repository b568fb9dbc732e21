import { type Command, Option } from 'commander';
import { chains } from '../../platform/chains.ts';
import { currencies } from '../../platform/money.ts';
import { parseAddress } from '../chain-values.ts';
import { parseMoney, repeatable, wholeNumber } from '../option-values.ts';
import { addChangeCommands, addProposalCommands } from './change-commands.ts';
import type { DeployOptions } from './deployment.ts';
import type { ShowOptions } from './show.ts';
import type { VerifyOptions } from './verify.ts';

/** Longer than a month would only lock the admin out. */
const mostAdminDelaySeconds = 2_592_000;

const chainOption = () => new Option('--chain <name>', 'network').choices(chains).makeOptionMandatory();

/** `mintrail token`. */
export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('deploy a token, show its roles and allowances, or change it by its admin');

  token
    .command('deploy')
    .description('deploy a token that a Safe administers, with its operators; can be interrupted and run again')
    .addOption(chainOption())
    .addOption(new Option('--currency <currency>', 'currency of the token').choices(currencies).makeOptionMandatory())
    .requiredOption('--admin <address>', 'Safe that receives every role except the operator’s', parseAddress)
    .addOption(repeatable('--operator <address>', 'signer that issues and redeems', parseAddress))
    .addOption(
      new Option('--mint-allowance <amount>', 'amount that each operator may issue before the admin allows more')
        .argParser(parseMoney)
        // Help serialises a default value as JSON, which has no bigint, unless it gets a text for it.
        .default(0n, '0'),
    )
    .option('--daily-mint-limit <amount>', 'what each operator may issue in a day of UTC; otherwise its whole allowance', parseMoney)
    .addOption(repeatable('--blocker <address>', 'account that may block others', parseAddress))
    .option(
      '--admin-delay <seconds>',
      'time before the admin role can be accepted by the account that it is offered to',
      wholeNumber(0, mostAdminDelaySeconds),
      86_400,
    )
    .option(
      '--timelock-delay <seconds>',
      'time that upgrades and mint limits must wait, in an OpenZeppelin timelock of the admin',
      wholeNumber(0, mostAdminDelaySeconds),
    )
    .option('--name <name>', 'name of the token, such as Example EUR')
    .option('--allow-account', 'allow an admin that is not a Safe, such as a key')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON; requires --yes')
    .addHelpText(
      'after',
      '\nThe deployer pays and never holds a role. <NETWORK>_DEPLOYER names it, in the form of <NETWORK>_SIGNERS.\nThe same options make the same token at the same address, never a second one.',
    )
    .action(async (options: DeployOptions) => (await import('./deploy.ts')).deploy(options));

  token
    .command('show', { isDefault: true })
    .description('show tokens with supply, admin, roles and allowances')
    .addOption(chainOption())
    .option('--token <address>', 'this token instead of the configured ones', parseAddress)
    .option('--json', 'print JSON')
    .action(async (options: ShowOptions) => (await import('./show.ts')).show(options));

  token
    .command('verify')
    .description(
      'compare the code of a token with that of this release: its proxy, its implementation, its timelock; ends with 0 only if all is the same',
    )
    .addOption(chainOption())
    .addOption(new Option('--currency <currency>', 'currency of the token').choices(currencies).makeOptionMandatory())
    .option('--json', 'print JSON')
    .action(async (options: VerifyOptions) => (await import('./verify.ts')).verifyCode(options));

  addChangeCommands(token);
  addProposalCommands(token);
}
