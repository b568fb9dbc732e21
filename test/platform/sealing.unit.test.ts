import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createSealer, generateSecretsKey, openSealer, sealingKeyId } from '../../src/platform/sealing.ts';

const field = { table: 'webhook_subscriptions', column: 'secret', row: '7c9b6d38-1a1b-4a53-a1a5-0f7b8e6d1c11' };
const first = randomBytes(32);
const second = randomBytes(32);

it('unseals what it sealed, and seals differently each time', () => {
  const sealer = createSealer(first);
  for (const text of ['', 'whsec_c2VjcmV0', 'ü€𐍈', 'x'.repeat(10_000)]) expect(sealer.unseal(sealer.seal(text, field), field)).toBe(text);
  expect(sealer.seal('text', field)).not.toBe(sealer.seal('text', field));
  expect(sealer.seal('whsec_c2VjcmV0', field)).not.toContain('whsec');
});

it('a sealed text opens in its own row and column only', () => {
  const sealer = createSealer(first);
  const sealed = sealer.seal('text', field);
  for (const other of [{ table: 'users' }, { column: 'previous_secret' }, { row: randomBytes(8).toString('hex') }])
    expect(() => sealer.unseal(sealed, { ...field, ...other })).toThrow(expect.objectContaining({ code: 'damaged_secret' }));
});

it('a sealed text of which a single character was altered does not open', () => {
  const sealer = createSealer(first);
  const sealed = sealer.seal('text', field);
  const begin = sealed.lastIndexOf(':') + 1;
  // The last character carries unused bits besides: other texts may encode the same bytes.
  for (let at = begin; at < sealed.length - 1; at++) {
    const altered = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    expect(() => sealer.unseal(altered, field)).toThrow(expect.objectContaining({ code: 'damaged_secret' }));
  }
  expect(() => sealer.unseal(sealed.slice(0, begin + 20), field)).toThrow(expect.objectContaining({ code: 'damaged_secret' }));
});

it('during a rotation the old key unseals and the new one seals', () => {
  const sealed = createSealer(first).seal('text', field);
  const rotating = createSealer(second, [first]);
  expect(rotating.unseal(sealed, field)).toBe('text');
  const resealed = rotating.seal('text', field);
  expect(sealingKeyId(resealed)).toBe(rotating.keyId);
  expect(createSealer(second).unseal(resealed, field)).toBe('text');
});

it('a text under a key that is not configured names the key and what to do, and not the text', () => {
  const sealer = createSealer(first);
  const sealed = sealer.seal('text', field);
  expect(() => createSealer(second).unseal(sealed, field)).toThrow(
    expect.objectContaining({ code: 'unknown_secrets_key', retryable: false, message: expect.stringContaining(sealer.keyId) }),
  );
});

it('a text that is not sealed is refused, and its error does not repeat it', () => {
  expect(() => createSealer(first).unseal('whsec_c2VjcmV0', field)).toThrow(
    expect.objectContaining({ code: 'unsealed_secret', message: expect.not.stringContaining('whsec') }),
  );
  expect(sealingKeyId('whsec_c2VjcmV0')).toBeUndefined();
});

it('the settings hold keys or name files of keys', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-sealing-'));
  const file = path.join(folder, 'secrets.key');
  const key = generateSecretsKey();
  writeFileSync(file, `${key}\n`);
  const old = generateSecretsKey();
  const sealer = openSealer({ secretsKey: `file:${file}`, secretsKeysOld: `${old}, ${second.toString('base64')}` });
  rmSync(folder, { recursive: true });
  expect(sealer.knownKeyIds).toHaveLength(3);
  expect(sealer.keyId).toBe(createSealer(Buffer.from(key, 'base64')).keyId);
  expect(sealer.unseal(createSealer(second).seal('text', field), field)).toBe('text');
});

it.each([
  ['no key', undefined, /is not set: .*openssl rand -base64 32/],
  ['a key of 16 bytes', randomBytes(16).toString('base64'), /is not the base64 of 32 bytes: .*openssl rand -base64 32/],
  ['a key that is not base64', `${'?'.repeat(43)}=`, /is not the base64 of 32 bytes: .*openssl rand -base64 32/],
  ['a file that is missing', 'file:/nowhere/secrets.key', /nowhere/],
])('%s is refused at the start, and the error says how to make a key or where it looked', (_, secretsKey, text) => {
  const error = { code: 'invalid_settings', message: expect.stringMatching(text) as string };
  expect(() => openSealer({ secretsKey, secretsKeysOld: '' })).toThrow(expect.objectContaining(error));
});
