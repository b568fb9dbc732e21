import { getAddress, isAddress } from 'viem';
import { describeAddress } from '../../ledger/orders/address-description.ts';
import { type LowerAddress, lowerAddress } from '../../platform/addresses.ts';
import { StopError } from '../../platform/errors.ts';
import { renderJson, renderTable } from '../output.ts';
import { withLedger } from '../with-ledger.ts';
import { print } from '../print.ts';

/** `mintrail address show`. */
export async function showAddress(text: string, json: boolean): Promise<void> {
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
