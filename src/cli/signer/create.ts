import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { createKeystoreSigner } from '../../chain/signers/keystore.ts';
import { encryptKeystore } from '../../chain/signers/keystore-v3.ts';
import { createSignerOfKey } from '../../chain/signers/raw-key.ts';
import { testSigner } from '../../chain/signers/test-signer.ts';
import { curve } from '../../chain/secp256k1.ts';
import { StopError } from '../../platform/errors.ts';
import { askPassword } from './keystore-password.ts';
import { renderJson } from '../output.ts';

/** Makes a new key in a keystore that only its owner may read, and opens it again before it tells so. Never overwrites a file. */
export async function createKeystore(given: { path: string; passwordFile: string | undefined; json: boolean }): Promise<void> {
  const file = path.resolve(given.path);
  const address = await writeNew(file, () => askPassword(given.passwordFile, true));
  if (given.json) console.log(renderJson({ address, keystore: file }));
  else
    console.log(
      `The key of ${address} is in ${file}; nobody can open it without its password. Keep a copy of both, apart.\nA network signs with it by SIGNERS=keystore:${file}`,
    );
}

/** The file is taken before the password is asked for, and given back when nothing came of it. */
async function writeNew(file: string, askForPassword: () => Promise<string>): Promise<string> {
  const handle = await open(file, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    throw new StopError({
      code: 'keystore_not_written',
      message:
        code === 'EEXIST' ? `${file} exists already, and may hold a key: it is left as it is` : `${file} cannot be written (${code})`,
    });
  });
  try {
    const password = await askForPassword();
    const key = newKey();
    const { address } = createSignerOfKey(key, 'keystore');
    await handle.writeFile(await encryptKeystore(key, address, password));
    await handle.sync();
    await testSigner(await createKeystoreSigner(file, password));
    return address;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

function newKey(): Uint8Array {
  const key = randomBytes(32);
  return curve.privateKeyVerify(key) ? key : newKey();
}
