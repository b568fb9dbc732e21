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
import { print } from '../print.ts';

/**
 * `mintrail signer create`: writes a new key to a keystore that only its owner may read, and opens it once to test it. Never overwrites a file.
 * Throws `not_possible`, `invalid_settings`.
 */
export async function createKeystore(options: { path: string; passwordFile: string | undefined; json: boolean }): Promise<void> {
  const file = path.resolve(options.path);
  const address = await writeNew(file, () => askPassword(options.passwordFile, true));
  if (options.json) print(renderJson({ address, keystore: file }));
  else
    print(
      `The key of ${address} is in ${file}. It cannot be opened without its password: keep a copy of both, in different places.\nA network uses it by <NETWORK>_SIGNERS=keystore:${file}, such as GNOSIS_SIGNERS, with the password in GNOSIS_KEYSTORE_PASSWORD; a deployer by GNOSIS_DEPLOYER and GNOSIS_DEPLOYER_PASSWORD`,
    );
}

/** Creates the file before it asks for the password, and deletes it when that fails. */
async function writeNew(file: string, askForPassword: () => Promise<string>): Promise<string> {
  const handle = await open(file, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    throw new StopError({
      code: 'not_possible',
      message:
        code === 'EEXIST' ? `${file} exists already and may contain a key: it is not changed` : `${file} cannot be written (${code})`,
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
