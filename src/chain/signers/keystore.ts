import { readFile } from 'node:fs/promises';
import { StopError } from '../../platform/errors.ts';
import { decryptKeystore } from './keystore-v3.ts';
import { createSignerOfKey } from './raw-key.ts';
import type { Signer } from './signer.ts';

/** A signer over the key in an encrypted keystore, which is decrypted once. Throws what {@link readKeystore} throws. */
export async function createKeystoreSigner(path: string, password: string): Promise<Signer> {
  return createSignerOfKey(await readKeystore(path, password), 'keystore');
}

/** The private key in an encrypted keystore. Throws `invalid_settings`, `wrong_keystore_password`. */
export async function readKeystore(path: string, password: string): Promise<Uint8Array> {
  const { key, address } = await open(path, password);
  const signer = createSignerOfKey(key, 'keystore');
  if (address === undefined || signer.address === `0x${address}`) return key;
  throw new StopError({
    code: 'invalid_settings',
    message: `${path} names the address 0x${address}, but its key is that of ${signer.address}`,
  });
}

async function open(path: string, password: string): ReturnType<typeof decryptKeystore> {
  const text = await readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new StopError({
      code: 'invalid_settings',
      message: `The keystore ${path} cannot be read (${code}): check its path and permissions`,
    });
  });
  try {
    return await decryptKeystore(text, password);
  } catch (error) {
    if (error instanceof StopError) throw new StopError({ code: error.code, message: `${path}: ${error.message}` });
    throw error;
  }
}
