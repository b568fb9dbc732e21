import { Argument, type Command, Option } from 'commander';
import type { Address } from 'viem';
import type { ChangeRequest } from '../../chain/admin/decide-change.ts';
import type { GrantableRole } from '../../chain/admin/token-change.ts';
import { roleName, tokenRoles } from '../../chain/token/roles.ts';
import { chains } from '../../platform/chains.ts';
import { currencies, type MinorUnits } from '../../platform/money.ts';
import { parseAddress, parseHash } from '../chain-values.ts';
import { parseMoney, repeatable } from '../option-values.ts';
import type { ChangeOptions } from './change.ts';
import type { ExecuteOptions } from './execute.ts';
import type { SignOptions } from './sign.ts';

const signerForms = 'keystore:PATH, awskms:KEY, web3signer:URL/0xADDRESS, file:PATH, or env:NAME of a variable with one of these';

/** `mintrail token allowance`, `pause`, `unpause`, `block`, `unblock`, `grant`, `revoke` and `upgrade`. */
export function addChangeCommands(token: Command): void {
  changeCommand(token, 'allowance')
    .description('set what an operator may still issue, and what in a day of UTC; what it issues until the change is made is taken off')
    .addArgument(accountArgument('operator', 'signer that issues and redeems'))
    .addArgument(new Argument('<amount>', 'what it may still issue, such as 1000000.00').argParser(parseMoney))
    .option('--daily-mint-limit <amount>', 'what it may issue in a day of UTC; otherwise as it is', parseMoney)
    .action(async (operator: Address, allowance: MinorUnits, options: ChangeOptions & { dailyMintLimit?: MinorUnits }, command: Command) =>
      run(command, options, { kind: 'allowance', operator, allowance, dailyLimit: options.dailyMintLimit }),
    );
  changeCommand(token, 'pause')
    .description('stop transfers, approvals, issuing and redeeming')
    .action((options: ChangeOptions, command: Command) => run(command, options, { kind: 'pause' }));
  changeCommand(token, 'unpause')
    .description('resume a paused token')
    .action((options: ChangeOptions, command: Command) => run(command, options, { kind: 'unpause' }));
  for (const kind of ['block', 'unblock'] as const)
    changeCommand(token, kind)
      .description(kind === 'block' ? 'block an account: it can neither send nor receive' : 'unblock an account')
      .addArgument(accountArgument('account', 'account of a holder'))
      .action((account: Address, options: ChangeOptions, command: Command) => run(command, options, { kind, account }));
  for (const kind of ['grant', 'revoke'] as const)
    changeCommand(token, kind)
      .description(
        kind === 'grant' ? 'give a role to an account' : 'take a role from an account; the limits of an operator end with its role',
      )
      .addArgument(new Argument('<role>', 'role').choices(Object.keys(roles)))
      .addArgument(accountArgument('account', `account that ${kind === 'grant' ? 'gets' : 'loses'} it`))
      .action((role: string, account: Address, options: ChangeOptions, command: Command) =>
        run(command, options, { kind, role: roles[role] as GrantableRole, account }),
      );
  changeCommand(token, 'upgrade')
    .description('replace the code of the token; without an address, by that of this release, which is deployed if it is not yet')
    .addArgument(new Argument('[implementation]', 'address of the code, which must be a UUPS token').argParser(parseAddress))
    .addOption(codeHashOption())
    .addHelpText('after', '\n<NETWORK>_DEPLOYER pays for the deployment, as of mintrail token deploy.')
    .action(async (implementation: Address | undefined, options: ChangeOptions, command: Command) => {
      requireMeans(command, options);
      const { upgradeRequest } = await import('./upgrade.ts');
      return (await import('./change.ts')).changeToken(options, upgradeRequest(implementation));
    });
}

/** `mintrail token sign` and `execute`. */
export function addProposalCommands(token: Command): void {
  token
    .command('sign')
    .description('show what a proposal does, and sign it as an owner of the Safe')
    .argument('<file>', 'file written by --propose, or a copy of it')
    .addOption(repeatable('--signer <reference>', signerForms, String))
    .addOption(passwordOption())
    .addOption(codeHashOption())
    .option('--offline', 'do not compare the proposal with the chain: on a machine without a network')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON; requires --yes')
    .action(async (file: string, options: SignOptions, command: Command) => {
      if (options.signer.length === 0) command.error("error: required option '--signer <reference>' not specified");
      return (await import('./sign.ts')).signProposal(file, options);
    });
  token
    .command('execute')
    .description('send a proposal once enough owners have signed it; what was executed before is not sent again')
    .argument('<files...>', 'the file, or the copies that owners have signed')
    .requiredOption('--signer <reference>', `account that pays, which need not be an owner: ${signerForms}`)
    .addOption(passwordOption())
    .addOption(codeHashOption())
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON; requires --yes')
    .action(async (files: string[], options: ExecuteOptions) => (await import('./execute.ts')).executeFiles(files, options));
}

/** The roles by their names on the command line, as `mintrail token show` has them. */
const roles = Object.fromEntries(
  (Object.keys(tokenRoles) as (keyof typeof tokenRoles)[])
    .filter((role) => role !== 'DEFAULT_ADMIN_ROLE')
    .map((role) => [roleName(role), role]),
);

function changeCommand(token: Command, name: string): Command {
  return token
    .command(name)
    .addOption(new Option('--chain <name>', 'network').choices(chains).makeOptionMandatory())
    .addOption(new Option('--currency <currency>', 'currency of the token').choices(currencies).makeOptionMandatory())
    .addOption(
      repeatable(
        '--signer <reference>',
        `account with the role, or owner of the Safe with the role; the first pays: ${signerForms}`,
        String,
      ),
    )
    .option('--propose <file>', 'write a proposal for the owners of the Safe to this file, signed by --signer, and send nothing')
    .option(
      '--safe-json <file>',
      "write the transaction for the Transaction Builder of Safe's own application to this file, and send nothing",
    )
    .addOption(passwordOption())
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON; requires --yes');
}

async function run(command: Command, options: ChangeOptions, request: ChangeRequest): Promise<void> {
  requireMeans(command, options);
  await (await import('./change.ts')).changeToken(options, () => Promise.resolve(request));
}

/** Somebody must sign, or there must be a file to sign: a usage error otherwise. */
function requireMeans(command: Command, { signer, propose, safeJson }: ChangeOptions): void {
  if (signer.length === 0 && propose === undefined && safeJson === undefined)
    command.error(
      "error: name who signs with --signer, a file for a proposal with --propose, or one for Safe's own application with --safe-json",
    );
  if (signer.length > 0 && propose === undefined && safeJson !== undefined)
    command.error("error: --safe-json is signed in Safe's own application: leave --signer out, or add --propose");
}

function accountArgument(name: string, description: string): Argument {
  return new Argument(`<${name}>`, description).argParser(parseAddress);
}

function passwordOption(): Option {
  return new Option(
    '--password-file <path>',
    'file with the password of keystores; otherwise <NETWORK>_KEYSTORE_PASSWORD, or the command asks',
  );
}

function codeHashOption(): Option {
  return new Option(
    '--code-hash <hash>',
    'keccak256 of the code that an upgrade puts in; demanded where it is not the code of this release, after you have reviewed it',
  ).argParser(parseHash);
}
