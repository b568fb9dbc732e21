import { createPublicKey } from 'node:crypto';
import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem';
import { type MintrailError, StopError } from '../../platform/errors.ts';
import { curve } from '../secp256k1.ts';
import { accountOf } from '../signatures/ecdsa.ts';
import { unreachable, withDeadline } from './deadline.ts';
import { createSignerOf, signatureRefused, type Signer, type SigningKey } from './signer.ts';

/**
 * A signer over a key in AWS KMS (key spec ECC_SECG_P256K1), named by its id, ARN or alias. Region, endpoint and credentials
 * come from AWS's usual variables. Throws `signer_refused` when it is not such a key or may not be used, and `signer_unreachable`.
 */
export async function createKmsSigner(keyId: string): Promise<Signer> {
  const { KMSClient, GetPublicKeyCommand, SignCommand } = await import('@aws-sdk/client-kms');
  const keeper = `AWS KMS for ${keyId}`;
  const client = new KMSClient({});
  const { PublicKey, KeySpec, KeyUsage } = await call(keeper, (abortSignal) =>
    client.send(new GetPublicKeyCommand({ KeyId: keyId }), { abortSignal }),
  );
  if (!PublicKey || KeySpec !== 'ECC_SECG_P256K1' || KeyUsage !== 'SIGN_VERIFY') {
    throw new StopError({
      code: 'signer_refused',
      message: `The key ${keyId} in AWS KMS is ${KeySpec} for ${KeyUsage}; a signer is a key ECC_SECG_P256K1 for SIGN_VERIFY`,
    });
  }
  const key: SigningKey = {
    address: accountOf(readPublicKey(keyId, PublicKey)),
    kind: 'AWS KMS',
    async signHashOf(preimage) {
      const request = {
        KeyId: keyId,
        Message: hexToBytes(keccak256(preimage)),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      } as const;
      const { Signature } = await call(keeper, (abortSignal) => client.send(new SignCommand(request), { abortSignal }));
      return readSignature(key, Signature);
    },
  };
  return createSignerOf(key);
}

async function call<T>(keeper: string, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withDeadline(keeper, (signal) =>
    send(signal).catch((error: unknown) => {
      throw kmsError(keeper, error);
    }),
  );
}

/** The uncompressed point of a DER SubjectPublicKeyInfo. */
function readPublicKey(keyId: string, der: Uint8Array): Uint8Array {
  try {
    const { crv, x = '', y = '' } = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' }).export({ format: 'jwk' });
    const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    if (crv === 'secp256k1' && curve.publicKeyVerify(point)) return point;
  } catch {
    // Not a public key: refused like one of another curve.
  }
  throw new StopError({ code: 'signer_refused', message: `The public key of ${keyId} in AWS KMS is not on the curve secp256k1` });
}

function readSignature(key: SigningKey, der: Uint8Array | undefined): { r: Hex; s: Hex } {
  try {
    const signature = curve.signatureImport(der ?? new Uint8Array());
    return { r: bytesToHex(signature.subarray(0, 32)), s: bytesToHex(signature.subarray(32)) };
  } catch {
    throw signatureRefused(key);
  }
}

/** Errors with a status of 4xx that pass: too many requests, expired credentials, a wrong clock. */
const passing =
  /^(ThrottlingException|Throttling|TooManyRequestsException|RequestLimitExceeded|LimitExceededException|ExpiredTokenException|RequestExpired|RequestTimeout|RequestTimeoutException|RequestTimeTooSkewed)$/;

/** Errors of the SDK before it sends a request: it is not configured. */
const unconfigured = /^(CredentialsProviderError|TokenProviderError|InvalidConfigurationError)$/;

/**
 * Translates an error of the AWS SDK: into the RetryError `signer_unreachable` for an outage, or the StopError `signer_refused` when a key,
 * permission or setting must be corrected. Only the name of the error is kept: its text may quote the request with the session token.
 */
function kmsError(keeper: string, error: unknown): MintrailError {
  const {
    name = 'Error',
    code,
    $metadata,
    message = '',
  } = error as Partial<Error> & { code?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode ?? 0;
  if (message === 'Region is missing') return refused(keeper, 'no region: set AWS_REGION');
  if (unconfigured.test(name)) return refused(keeper, "no credentials were found in AWS's usual places");
  if (status >= 400 && status < 500 && status !== 408 && status !== 429 && !passing.test(name)) return refused(keeper, name);
  return unreachable(keeper, code ?? name);
}

function refused(keeper: string, reason: string): StopError {
  return new StopError({
    code: 'signer_refused',
    message: `${keeper} refuses to sign (${reason}): check the key's state and policy, and the credentials and region of this process`,
  });
}
