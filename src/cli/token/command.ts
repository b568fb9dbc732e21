import { type Command, InvalidArgumentError, Option } from 'commander';
import { getAddress, isAddress } from 'viem';
import { chains } from '../../platform/chains.ts';
import { currencies, type MinorUnits, parseAmount } from '../../platform/money.ts';
import { wholeNumber } from '../option-values.ts';
import type { DeployOptions } from './deployment.ts';
import type { ShowOptions } from './show.ts';

/** Longer than a month would only lock the admin out. */
const mostAdminDelaySeconds = 2_592_000;

const chainOption = () => new Option('--chain <name>', 'network').choices(chains).makeOptionMandatory();

/** `mintrail token`: deploys tokens and shows what they are. */
export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('deploy a token, or show its roles and allowances');

  token
    .command('deploy')
    .description('deploy a token that a Safe administers, with its operators; may be broken off and run again')
    .addOption(chainOption())
    .addOption(new Option('--currency <currency>', 'what it is money of').choices(currencies).makeOptionMandatory())
    .requiredOption('--admin <address>', 'Safe that gets every role but the operator’s', address)
    .option('--operator <address>', 'signer that issues and redeems; repeatable', addresses, [])
    .addOption(
      new Option('--mint-allowance <amount>', 'what each operator may issue until the admin allows more')
        .argParser(amount)
        // Help serialises a default value as JSON, which has no bigint, unless it gets a text for it.
        .default(0n, '0'),
    )
    .option('--blocker <address>', 'account that may block others; repeatable', addresses, [])
    .option(
      '--admin-delay <seconds>',
      'time in which the admin can take back that it hands its role on',
      wholeNumber(0, mostAdminDelaySeconds),
      86_400,
    )
    .option('--name <name>', 'name of the token, such as Example EUR')
    .option('--allow-account', 'let the admin be something else than a Safe, such as a key')
    .option('--yes', 'do not ask')
    .option('--json', 'answer in JSON; needs --yes')
    .addHelpText(
      'after',
      '\nThe deployer pays, and holds no role at any time: <NETWORK>_DEPLOYER names it, as <NETWORK>_SIGNERS name signers.\nThe same options make the same token at the same address, and never a second one.',
    )
    .action(async (options: DeployOptions) => (await import('./deploy.ts')).deploy(options));

  token
    .command('show', { isDefault: true })
    .description('show tokens: supply, admin, roles, allowances')
    .addOption(chainOption())
    .option('--token <address>', 'this one, instead of those that are set', address)
    .option('--json', 'answer in JSON')
    .action(async (options: ShowOptions) => (await import('./show.ts')).show(options));
}

function address(text: string): `0x${string}` {
  if (isAddress(text)) return getAddress(text);
  throw new InvalidArgumentError('An address: 0x and 40 hexadecimal digits, with its right checksum or in lower case.');
}

function addresses(text: string, all: `0x${string}`[]): `0x${string}`[] {
  return [...all, address(text)];
}

function amount(text: string): MinorUnits {
  const parsed = parseAmount(text);
  if (parsed !== undefined) return parsed;
  throw new InvalidArgumentError('An amount such as 1000000 or 1000000.00.');
}
