import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StopError } from './errors.ts';
import { isSecretsKey } from './settings/setting-values.ts';
import { type Settings, settingVariable } from './settings.ts';

/** Where a sealed text is stored. It opens in this row and column only, so nobody with the database alone can move it to another row. */
export interface SealedField {
  table: string;
  column: string;
  /** The row's primary key. */
  row: string;
}

/** Encrypts secrets for the database (docs/operations/deployment.md, Secrets at rest). */
export interface Sealer {
  /** Names the key that seals. */
  readonly keyId: string;
  /** The ids of all keys that unseal, that of the current one among them. */
  readonly knownKeyIds: readonly string[];
  /** The text to store in `field`; it differs with every call. */
  seal(text: string, field: SealedField): string;
  /** A keyed hash, by which a text is recognised and not read. It changes with the key. */
  fingerprint(text: string): string;
  /** The text that was sealed. Throws `unsealed_secret`, `unknown_secrets_key` and `damaged_secret`. */
  unseal(sealed: string, field: SealedField): string;
}

/** AES-256 in Galois/Counter Mode, with a random nonce and the whole tag (NIST SP 800-38D). */
const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** What every sealed text begins with; the version stands for the cipher and the layout. */
const prefix = 'sealed:v1';
const sealedPattern = /^sealed:v1:([0-9a-f]{16}):([A-Za-z0-9_-]+)$/;

/** The sealer of the settings `SECRETS_KEY` and `SECRETS_KEYS_OLD`. Throws `invalid_settings`. */
export function openSealer({ secretsKey, secretsKeysOld }: Pick<Settings, 'secretsKey' | 'secretsKeysOld'>): Sealer {
  const variable = settingVariable('secretsKey');
  if (secretsKey === undefined)
    throw new StopError({
      code: 'invalid_settings',
      message: `${variable} is not set: make a key with \`mintrail secrets generate-key\` or \`openssl rand -base64 32\`, and keep it apart from the backups of the database`,
    });
  const oldVariable = settingVariable('secretsKeysOld');
  const old = secretsKeysOld.split(',').filter(Boolean);
  return createSealer(
    readKey(secretsKey, variable),
    old.map((text) => readKey(text.trim(), oldVariable)),
  );
}

/** A sealer that seals with one key and unseals with the old ones too; each has 32 bytes. */
export function createSealer(current: Buffer, old: readonly Buffer[] = []): Sealer {
  const keyId = idOf(current);
  const keys = new Map([...old, current].map((key) => [idOf(key), key]));
  return {
    keyId,
    knownKeyIds: [...keys.keys()],
    seal(text, field) {
      const nonce = randomBytes(nonceBytes);
      const encryption = createCipheriv(cipher, current, nonce, { authTagLength: tagBytes }).setAAD(contextOf(keyId, field));
      const content = Buffer.concat([nonce, encryption.update(text, 'utf8'), encryption.final(), encryption.getAuthTag()]);
      return `${prefix}:${keyId}:${content.toString('base64url')}`;
    },
    fingerprint: (text) => createHmac('sha256', current).update('mintrail fingerprint\0').update(text).digest('hex'),
    unseal(sealed, field) {
      const [, id, encoded] = sealedPattern.exec(sealed) ?? [];
      if (id === undefined || encoded === undefined) throw sealed.startsWith(prefix) ? damaged(field) : unsealed(field);
      const key = keys.get(id);
      if (!key) throw unknownKey(id, field);
      const content = Buffer.from(encoded, 'base64url');
      if (content.length < nonceBytes + tagBytes) throw damaged(field);
      const decryption = createDecipheriv(cipher, key, content.subarray(0, nonceBytes), { authTagLength: tagBytes })
        .setAAD(contextOf(id, field))
        .setAuthTag(content.subarray(-tagBytes));
      try {
        return Buffer.concat([decryption.update(content.subarray(nonceBytes, -tagBytes)), decryption.final()]).toString('utf8');
      } catch (cause) {
        throw damaged(field, cause);
      }
    },
  };
}

/** A new random key, as `SECRETS_KEY` takes it. */
export function generateSecretsKey(): string {
  return randomBytes(keyBytes).toString('base64');
}

/** The id of the key of a sealed text; undefined for a text that is not sealed. */
export function sealingKeyId(text: string): string | undefined {
  return sealedPattern.exec(text)?.[1];
}

/** Says which key it is and nothing about its bits. */
function idOf(key: Buffer): string {
  return createHash('sha256').update('mintrail secrets key id\0').update(key).digest('hex').slice(0, 16);
}

/** Additional authenticated data: JSON, in which no two fields have the same text. */
function contextOf(keyId: string, { table, column, row }: SealedField): Buffer {
  return Buffer.from(JSON.stringify([prefix, keyId, table, column, row]));
}

/** The key of a setting, which is the key itself or `file:PATH`. The value stays out of messages. */
function readKey(setting: string, variable: string): Buffer {
  const text = setting.startsWith('file:') ? readKeyFile(setting.slice('file:'.length), variable) : setting;
  if (isSecretsKey(text)) return Buffer.from(text, 'base64');
  throw new StopError({
    code: 'invalid_settings',
    message: `${variable} is not the base64 of ${keyBytes} bytes: make a key with \`mintrail secrets generate-key\` or \`openssl rand -base64 ${keyBytes}\``,
  });
}

function readKeyFile(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StopError({ code: 'invalid_settings', message: `The file ${path} of ${variable} cannot be read (${code})`, cause });
  }
}

function unsealed(field: SealedField): StopError {
  return new StopError({
    code: 'unsealed_secret',
    message: `${nameOf(field)} is not sealed: run \`mintrail secrets rotate\``,
  });
}

function unknownKey(id: string, field: SealedField): StopError {
  return new StopError({
    code: 'unknown_secrets_key',
    message: `${nameOf(field)} is sealed with the key ${id}, which is neither ${settingVariable('secretsKey')} nor among ${settingVariable('secretsKeysOld')}: add it to the latter and start the process again`,
  });
}

function damaged(field: SealedField, cause?: unknown): StopError {
  return new StopError({
    code: 'damaged_secret',
    message: `${nameOf(field)} does not open with its key: it was altered, or comes from another row`,
    cause,
  });
}

function nameOf({ table, column, row }: SealedField): string {
  return `${column} of row ${row} of ${table}`;
}
