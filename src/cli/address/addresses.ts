import { getAddress, isAddress } from 'viem';
import { describeAddress } from '../../ledger/orders/address-description.ts';
import { decideContest } from '../../ledger/orders/contested-links.ts';
import { releaseAddress } from '../../ledger/customers/release-address.ts';
import { type LowerAddress, lowerAddress } from '../../platform/addresses.ts';
import { asChain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/uuid.ts';
import { renderJson, renderTable } from '../output.ts';
import { withLedger } from '../with-ledger.ts';
import { print } from '../print.ts';

/** Options of the commands of `mintrail address`. */
export interface AddressOptions {
  chain?: string;
  profile?: string;
  json?: boolean;
}

/** `mintrail address show`. */
export async function showAddress(text: string, { json = false }: AddressOptions): Promise<void> {
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

/** `mintrail address decide`. Throws `address_not_contested`. */
export async function decideAddress(text: string, { chain, profile, json }: Required<AddressOptions>): Promise<void> {
  const address = readAddress(text);
  const turnedDown = await withLedger((ledger) => decideContest(ledger, address, asChain(chain), readProfile(profile)));
  print(
    json
      ? renderJson({ address: getAddress(address), chain, profile, turnedDown })
      : `${turnedDown} other ${turnedDown === 1 ? 'request is' : 'requests are'} turned down. The address is linked to ${profile} as soon as its signature is confirmed.`,
  );
}

/** `mintrail address release`. Throws `address_not_linked`. */
export async function releaseAddressOf(text: string, { profile, json }: Required<AddressOptions>): Promise<void> {
  const address = readAddress(text);
  await withLedger((ledger) => releaseAddress(ledger, address, readProfile(profile)));
  print(json ? renderJson({ address: getAddress(address), profile }) : `${getAddress(address)} is no longer linked to ${profile}.`);
}

function readAddress(text: string): LowerAddress {
  if (!isAddress(text, { strict: false })) throw new StopError({ code: 'invalid_request', message: `"${text}" is not an address` });
  return lowerAddress(text);
}

function readProfile(id: string): string {
  if (!isUuid(id))
    throw new StopError({ code: 'unknown_profile', message: `There is no profile ${id}; \`mintrail profile list\` lists them` });
  return id.toLowerCase();
}
