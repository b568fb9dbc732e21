import type { Command } from 'commander';
import type { AddressOptions } from './addresses.ts';

/** `mintrail address`: whose an address is, where the signatures alone do not say (docs/operations.md, Disputed addresses). */
export function addAddressCommands(program: Command): void {
  const address = program.command('address').description('show to whom an address is linked and who waits for it, and decide between them');

  address
    .command('show')
    .description('show the links of an address, what they rest on, and the profiles that wait for its signature')
    .argument('<address>', 'the address')
    .option('--json', 'print JSON')
    .action(async (text: string, options: AddressOptions) => (await commands()).showAddress(text, options));

  address
    .command('decide')
    .description('turn down all profiles but one that wait for the same sentence of an account on chain')
    .argument('<address>', 'the address')
    .requiredOption('--chain <name>', 'chain on which they wait')
    .requiredOption('--profile <id>', 'profile whose address it is')
    .option('--json', 'print JSON')
    .action(async (text: string, options: Required<AddressOptions>) => (await commands()).decideAddress(text, options));

  address
    .command('release')
    .description('take an address from a profile; payments to its IBAN that lead there wait until the IBAN is moved')
    .argument('<address>', 'the address')
    .requiredOption('--profile <id>', 'profile that has it')
    .option('--json', 'print JSON')
    .action(async (text: string, options: Required<AddressOptions>) => (await commands()).releaseAddressOf(text, options));
}

const commands = () => import('./addresses.ts');
