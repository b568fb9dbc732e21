import type { Command } from 'commander';
import { decideAddress, releaseAddressOf } from '../../operations/customers/addresses.ts';
import { addVerb } from '../verbs/add-verb.ts';

/** `mintrail address`: whose an address is, where the signatures alone do not say (docs/operations/customers.md, Disputed addresses). */
export function addAddressCommands(program: Command): void {
  const address = program.command('address').description('show to whom an address is linked and who waits for it, and decide between them');

  address
    .command('show')
    .description('show the links of an address, what they rest on, and the profiles that wait for its signature')
    .argument('<address>', 'the address')
    .option('--json', 'print JSON')
    .action(async (text: string, { json = false }: { json?: boolean }) => (await import('./show.ts')).showAddress(text, json));

  addVerb(address, decideAddress, {
    text: ({ turnedDown, profile }) =>
      `${turnedDown} other ${turnedDown === 1 ? 'request is' : 'requests are'} turned down. The address is linked to ${profile} as soon as its signature is confirmed.`,
  });

  addVerb(address, releaseAddressOf, { text: ({ address: released, profile }) => `${released} is no longer linked to ${profile}.` });
}
