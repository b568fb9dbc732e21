import type { Command } from 'commander';
import { getAddress, isAddress } from 'viem';
import { describeAddress } from '../../ledger/orders/address-description.ts';
import { decideAddress, releaseAddressOf } from '../../operations/customers/addresses.ts';
import { type LowerAddress, lowerAddress } from '../../platform/addresses.ts';
import { StopError } from '../../platform/errors.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { addVerb } from '../verbs/add-verb.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail address`: whose an address is, where the signatures alone do not say (docs/operations/customers.md, Disputed addresses). */
export function addAddressCommands(program: Command): void {
  const address = program.command('address').description('show to whom an address is linked and who waits for it, and decide between them');

  address
    .command('show')
    .description('show the links of an address, what they rest on, and the profiles that wait for its signature')
    .argument('<address>', 'the address')
    .option('--json', 'print JSON')
    .action((text: string, { json = false }: { json?: boolean }) => showAddress(text, json));

  addVerb(address, decideAddress, {
    text: ({ turnedDown, profile }) =>
      `${turnedDown} other ${turnedDown === 1 ? 'request is' : 'requests are'} turned down. The address is linked to ${profile} as soon as its signature is confirmed.`,
  });

  addVerb(address, releaseAddressOf, { text: ({ address: released, profile }) => `${released} is no longer linked to ${profile}.` });
}

/** `mintrail address show`. */
async function showAddress(text: string, json: boolean): Promise<void> {
  const address = readAddress(text);
  const { links, waiting } = await withLedger((ledger) => describeAddress(ledger, address));
  if (json) return print(renderJson({ address: getAddress(address), links, waiting }));
  if (links.length === 0) print(`${getAddress(address)} is linked to no profile.`);
  else
    print(
      renderTable(
        ['chain', 'profile', 'proof', 'linked by', 'linked at'],
        links.map((link) => [link.chain, link.profile, link.proof, link.linkedBy, link.linkedAt.toISOString()]),
      ),
    );
  if (waiting.length === 0) return;
  print('\nProfiles that wait for its signature:');
  print(
    renderTable(
      ['chain', 'profile', 'proof', 'since'],
      waiting.map((request) => [request.chain, request.profile, request.proof, request.since.toISOString()]),
    ),
  );
}

function readAddress(text: string): LowerAddress {
  if (!isAddress(text, { strict: false })) throw new StopError({ code: 'invalid_request', message: `"${text}" is not an address` });
  return lowerAddress(text);
}
