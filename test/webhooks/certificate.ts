import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

/** A certificate that signs itself, for the names and times given (RFC 5280), with its key; both in PEM. */
export function selfSigned({ name = 'localhost', from = -1, to = 1 }: { name?: string; from?: number; to?: number } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // A serial number, too: of several certificates of one name that are trusted, only the first would be tried.
  const serial = der(0x13, Buffer.from(randomBytes(8).toString('hex')));
  const who = sequence(set(sequence(objectId('550403'), der(0x0c, Buffer.from(name)))), set(sequence(objectId('550405'), serial)));
  const algorithm = sequence(objectId('2a8648ce3d040302'));
  const names = der(0x04, sequence(der(0x82, Buffer.from(name))));
  const authority = der(0x04, sequence(der(0x01, Buffer.from([0xff]))));
  const extensions = der(0xa3, sequence(sequence(objectId('551d11'), names), sequence(objectId('551d13'), authority)));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    who,
    sequence(daysFromNow(from), daysFromNow(to)),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const certificate = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  // No line is empty, whatever the length.
  const lines = certificate
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]) => der(0x31, Buffer.concat(parts));
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));

function daysFromNow(days: number): Buffer {
  const time = new Date(Date.now() + days * 86_400_000).toISOString();
  return der(0x17, Buffer.from(`${time.replaceAll(/[-:T]|\..*/g, '').slice(2)}Z`));
}
