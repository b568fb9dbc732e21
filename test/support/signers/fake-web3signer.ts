import { concat, type Hex, hexToBytes, isHex, keccak256, numberToHex } from 'viem';
import { curve } from '../../../src/chain/secp256k1.ts';
import { signDigest } from '../../../src/chain/signatures/ecdsa.ts';
import { type FakeServer, startFakeServer } from '../fake-server.ts';
import { otherS } from './high-s.ts';

export type Web3signerFault =
  | 'fails'
  | 'hangs'
  | 'is busy'
  | 'redirects'
  | 'has lost the key'
  | 'signs with another key'
  | 'signs without hashing'
  | 'signs high'
  | 'answers nonsense'
  | 'drops the connection';

/** A fake web3signer: its HTTP interface for execution clients, `publicKeys` and `sign`, which hashes the data that it signs. */
export interface FakeWeb3signer extends FakeServer {
  fault: Web3signerFault | undefined;
  /** Method and path of each request, without the key. */
  requests: string[];
}

const otherKey = hexToBytes(`0x${'42'.repeat(32)}`);

/** Starts a fake that holds these keys. */
export async function startFakeWeb3signer(privateKeys: readonly Hex[], port = 0): Promise<FakeWeb3signer> {
  const keys = new Map(privateKeys.map((privateKey) => [publicKeyOf(hexToBytes(privateKey)), hexToBytes(privateKey)]));

  const sign = (identifier: string, body: string) => {
    const key = keys.get(identifier.replace(/^0x/, '').toLowerCase());
    const { data } = parse(body);
    if (!isHex(data)) return { status: 400, body: '' };
    if (!key || fake.fault === 'has lost the key') return { status: 404, body: '' };
    if (fake.fault === 'answers nonsense') return text('0x00');
    const digest = fake.fault === 'signs without hashing' ? (`0x${data.slice(2, 66).padEnd(64, '0')}` as const) : keccak256(data);
    const { r, s, yParity } = signDigest(digest, fake.fault === 'signs with another key' ? otherKey : key);
    if (fake.fault !== 'signs high') return text(concat([r, s, numberToHex(27 + yParity, { size: 1 })]));
    return text(concat([r, otherS(s), numberToHex(28 - yParity, { size: 1 })]));
  };

  const server = await startFakeServer(({ url = '', method, socket }, body) => {
    fake.requests.push(`${method} ${url.replace(/0x[0-9a-f]+$/, '')}`);
    if (fake.fault === 'hangs') return undefined;
    if (fake.fault === 'drops the connection') return void socket.destroy();
    if (fake.fault === 'fails') return { status: 500, body: 'java.lang.NullPointerException' };
    if (fake.fault === 'is busy') return { status: 429, body: '' };
    if (fake.fault === 'redirects') return { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' };
    if (method === 'GET' && url === '/api/v1/eth1/publicKeys')
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([...keys.keys()].map((key) => `0x${key}`)),
      };
    const [, identifier] = /^\/api\/v1\/eth1\/sign\/(.+)$/.exec(url) ?? [];
    return method === 'POST' && identifier ? sign(identifier, body) : { status: 404, body: '' };
  }, port);

  const fake: FakeWeb3signer = { ...server, fault: undefined, requests: [] };
  return fake;
}

/** As web3signer writes public keys: both coordinates in hex, without the leading byte 04. */
function publicKeyOf(key: Uint8Array): string {
  return Buffer.from(curve.publicKeyCreate(key).subarray(1)).toString('hex');
}

function text(body: string) {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

function parse(body: string): { data?: unknown } {
  try {
    return JSON.parse(body) as { data?: unknown };
  } catch {
    return {};
  }
}
