import { secp256k1 } from '@noble/curves/secp256k1';
import { bytesToHex, type Hex, hexToBytes } from 'viem';
import { curve } from '../../../src/chain/secp256k1.ts';
import { type FakeServer, startFakeServer } from '../fake-server.ts';
import { otherS } from './high-s.ts';

/** How the fake fails. */
export type KmsFault =
  | 'throttles'
  | 'fails'
  | 'hangs'
  | 'denies'
  | 'drops the signature'
  | 'signs with another key'
  | 'signs high'
  | 'quotes the request';

/** A fake AWS KMS that can sign: the operations GetPublicKey and Sign of its JSON 1.1 protocol, with answers in DER. */
export interface FakeKms extends FakeServer {
  keyId: string;
  fault: KmsFault | undefined;
  /** The operations that were requested, such as `Sign`. */
  operations: string[];
  /** The digests that it was to sign, in base64. */
  messages: string[];
}

const otherKey = hexToBytes(`0x${'42'.repeat(32)}`);

/** DER of SubjectPublicKeyInfo for secp256k1, before the 65 bytes of the point. */
const spkiPrefix = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');

export async function startFakeKms(privateKey: Hex, spec = 'ECC_SECG_P256K1', port = 0): Promise<FakeKms> {
  const key = hexToBytes(privateKey);
  const keyId = '1234abcd-12ab-34cd-56ef-1234567890ab';
  const arn = `arn:aws:kms:eu-west-1:111122223333:key/${keyId}`;

  const handlers: Record<string, (input: Record<string, string>) => ReturnType<typeof json>> = {
    GetPublicKey: () =>
      json(200, {
        KeyId: arn,
        KeySpec: spec,
        KeyUsage: 'SIGN_VERIFY',
        SigningAlgorithms: ['ECDSA_SHA_256'],
        PublicKey: Buffer.concat([spkiPrefix, curve.publicKeyCreate(key)]).toString('base64'),
      }),
    Sign({ Message = '', MessageType, SigningAlgorithm }) {
      fake.messages.push(Message);
      const digest = Buffer.from(Message, 'base64');
      if (MessageType !== 'DIGEST' || SigningAlgorithm !== 'ECDSA_SHA_256' || digest.length !== 32)
        return error(400, 'ValidationException', 'Digest is invalid length for algorithm ECDSA_SHA_256.');
      const { signature } = curve.ecdsaSign(digest, fake.fault === 'signs with another key' ? otherKey : key);
      const body = { KeyId: arn, SigningAlgorithm, Signature: encodeDer(signature, fake.fault === 'signs high').toString('base64') };
      return json(200, fake.fault === 'drops the signature' ? { KeyId: arn, SigningAlgorithm } : body);
    },
  };

  const server = await startFakeServer(({ headers, method }, body) => {
    const operation = String(headers['x-amz-target'] ?? '').replace('TrentService.', '');
    fake.operations.push(operation);
    if (fake.fault === 'hangs') return undefined;
    if (fake.fault === 'throttles') return error(400, 'ThrottlingException', 'You have exceeded the rate at which you may call KMS.');
    if (fake.fault === 'fails')
      return error(500, 'KMSInternalException', 'The request was rejected because an internal exception occurred.');
    if (fake.fault === 'denies') return error(400, 'AccessDeniedException', `not authorized to perform: kms:${operation} on ${arn}`);
    // As AWS does when the signature of the request is wrong: with the headers that were signed.
    if (fake.fault === 'quotes the request') return error(403, 'InvalidSignatureException', JSON.stringify(headers));
    if (method !== 'POST' || !String(headers.authorization).startsWith('AWS4-HMAC-SHA256 '))
      return error(403, 'MissingAuthenticationTokenException');
    const input = JSON.parse(body) as Record<string, string>;
    if (![keyId, arn, 'alias/mintrail'].includes(input['KeyId'] ?? ''))
      return error(400, 'NotFoundException', `Key '${input['KeyId']}' does not exist`);
    return handlers[operation]?.(input) ?? error(400, 'UnknownOperationException');
  }, port);

  const fake: FakeKms = { ...server, keyId, fault: undefined, operations: [], messages: [] };
  return fake;
}

/** ECDSA-Sig-Value; KMS answers with the high value of s as often as with the low one. */
function encodeDer(signature: Uint8Array, high: boolean): Buffer {
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)];
  const bytes = high ? Buffer.concat([r, hexToBytes(otherS(bytesToHex(s)))]) : signature;
  return Buffer.from(secp256k1.Signature.fromBytes(bytes, 'compact').toBytes('der'));
}

function json(status: number, body: object) {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify(body) };
}

function error(status: number, type: string, message = type) {
  return json(status, { __type: type, message });
}

/** Environment variables that lead the SDK of AWS to the fake, with credentials that a test can search its output for. */
export function kmsVariables(kms: FakeServer): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIAMINTRAILTESTKEY1',
    AWS_SECRET_ACCESS_KEY: 'secret-access-key-that-nobody-may-see',
    AWS_SESSION_TOKEN: 'session-token-that-nobody-may-see',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/nonexistent',
    AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
  };
}
