import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** What a test may get wrong on purpose. */
interface Deviation {
  origin?: string;
  rpId?: string;
  challenge?: string;
  counter?: number;
  isVerified?: boolean;
}

interface Creation {
  challenge: string;
  rp: { id?: string };
}

interface Assertion {
  challenge: string;
  rpId?: string;
}

/** An authenticator with one ES256 passkey, in software. Its answers are JSON, as a browser's script sends them (WebAuthn, section 5.1.9). */
export function createAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let counted = 0;

  const answer = (rpId: string, deviation: Deviation, type: string, challenge: string, credential = Buffer.alloc(0)) => {
    const { counter = ++counted, isVerified = true } = deviation;
    const flags = 0x01 | (isVerified ? 0x04 : 0) | (credential.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const authData = Buffer.concat([sha256(deviation.rpId ?? rpId), Buffer.from([flags]), count, credential]);
    const clientData = { type, challenge: deviation.challenge ?? challenge, origin: deviation.origin ?? origin, crossOrigin: false };
    const clientDataJSON = Buffer.from(JSON.stringify(clientData));
    return { authData, clientDataJSON, signed: Buffer.concat([authData, sha256(clientDataJSON)]) };
  };
  const wrap = (response: Record<string, unknown>) => {
    const encoded = id.toString('base64url');
    return JSON.stringify({ id: encoded, rawId: encoded, type: 'public-key', clientExtensionResults: {}, response });
  };

  return {
    credentialId: id.toString('base64url'),
    create({ challenge, rp }: Creation, deviation: Deviation = {}): string {
      const length = Buffer.from([0, id.length]);
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey.export({ format: 'jwk' }))]);
      const { authData, clientDataJSON } = answer(rp.id ?? '', deviation, 'webauthn.create', challenge, credential);
      // {"fmt": "none", "attStmt": {}, "authData": …} in CBOR.
      const head = Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex');
      const size = Buffer.from([authData.length >> 8, authData.length & 0xff]);
      const attestationObject = Buffer.concat([head, size, authData]).toString('base64url');
      return wrap({ clientDataJSON: clientDataJSON.toString('base64url'), attestationObject, transports: ['internal'] });
    },
    get({ challenge, rpId }: Assertion, deviation: Deviation = {}): string {
      const { authData, clientDataJSON, signed } = answer(rpId ?? '', deviation, 'webauthn.get', challenge);
      return wrap({
        clientDataJSON: clientDataJSON.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      });
    },
  };
}

function coseKey({ x = '', y = '' }: { x?: string; y?: string }): Buffer {
  const [head, middle] = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from('225820', 'hex')];
  return Buffer.concat([head, Buffer.from(x, 'base64url'), middle, Buffer.from(y, 'base64url')]);
}

function sha256(content: string | Buffer): Buffer {
  return createHash('sha256').update(content).digest();
}
