import { type Hex, hexToBytes } from 'viem';
import { z } from 'zod';
import { type LowerAddress, lowerAddress } from '../../platform/addresses.ts';
import { StopError } from '../../platform/errors.ts';
import { accountOf } from '../signatures/ecdsa.ts';
import { unreachable, withDeadline } from './deadline.ts';
import { createSignerOf, type Signer } from './signer.ts';

/** Public keys, with or without the prefix 04. */
const publicKeys = z.array(z.string().regex(/^(0x)?(04)?[0-9a-fA-F]{128}$/));

const signature = /^0x[0-9a-fA-F]{128}([0-9a-fA-F]{2})$/;

/**
 * A signer over a key in web3signer, by its HTTP interface for execution clients, which signs the keccak-256 hash of any data. So it can sign
 * transactions and typed data. `location` is `https://HOST:PORT/0xADDRESS`. Throws `invalid_settings` for another form and
 * when it does not have the key, `signer_refused` and `signer_unreachable`.
 */
export async function createWeb3signer(location: string): Promise<Signer> {
  const { base, address } = parseLocation(location);
  const keeper = `web3signer at ${base.origin}`;
  const identifier = await findKey(keeper, base, address);
  return createSignerOf({
    address,
    kind: 'web3signer',
    async signHashOf(preimage) {
      const answer = await ask(keeper, new URL(`api/v1/eth1/sign/${identifier}`, base), JSON.stringify({ data: preimage }));
      if (!signature.test(answer)) throw misunderstood(keeper, 'its answer is not a signature');
      return { r: answer.slice(0, 66) as Hex, s: `0x${answer.slice(66, 130)}` };
    },
  });
}

function parseLocation(location: string): { base: URL; address: LowerAddress } {
  const at = location.lastIndexOf('/');
  const [prefix, address] = [location.slice(0, at + 1), location.slice(at + 1)];
  const base = URL.canParse(prefix) ? new URL(prefix) : undefined;
  if (base && /^https?:$/.test(base.protocol) && !base.username && !base.password && /^0x[0-9a-fA-F]{40}$/.test(address))
    return { base, address: lowerAddress(address) };
  // The message does not repeat the location, which may contain a key.
  throw new StopError({
    code: 'invalid_settings',
    message: 'A remote signer is of the form web3signer:https://HOST:PORT/0xADDRESS, without user and password',
  });
}

/** The name of an address's key in web3signer: its public key. */
async function findKey(keeper: string, base: URL, address: LowerAddress): Promise<string> {
  const known = publicKeys.safeParse(fromJson(await ask(keeper, new URL('api/v1/eth1/publicKeys', base))));
  if (!known.success) throw misunderstood(keeper, 'its answer is not a list of public keys');
  const identifier = known.data.find((key) => accountOf(hexToBytes(`0x04${key.slice(-128)}`)) === address);
  if (identifier !== undefined) return identifier;
  throw new StopError({
    code: 'invalid_settings',
    message: `The ${keeper} does not keep the key of ${address}; it keeps ${known.data.length} others: correct the address, or load the key there`,
  });
}

function ask(keeper: string, url: URL, body?: string): Promise<string> {
  return withDeadline(keeper, async (signal) => {
    const headers = { 'content-type': 'application/json' };
    const request = body === undefined ? { method: 'GET' } : { method: 'POST', body, headers };
    const answer = await fetch(url, { ...request, signal, redirect: 'manual' }).catch((error: unknown) => {
      throw unreachable(keeper, reasonOf(error));
    });
    if (answer.status >= 500 || answer.status === 429 || answer.status === 408) throw unreachable(keeper, `HTTP ${answer.status}`);
    if (answer.status !== 200) throw misunderstood(keeper, `it answers with HTTP ${answer.status}`);
    return answer.text().catch((error: unknown) => {
      throw unreachable(keeper, reasonOf(error));
    });
  });
}

function reasonOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  return typeof code === 'string' ? code : 'the connection failed';
}

function misunderstood(keeper: string, what: string): StopError {
  return new StopError({
    code: 'signer_refused',
    message: `The ${keeper} does not sign: ${what}; check its address, its keys and its log`,
  });
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
