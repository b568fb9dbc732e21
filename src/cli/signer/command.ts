import type { Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { curve } from '../../chain/secp256k1.ts';
import { createSigner, expandReference } from '../../chain/signers/create-signer.ts';
import { encryptKeystore } from '../../chain/signers/keystore-v3.ts';
import { createKeystoreSigner } from '../../chain/signers/keystore.ts';
import { createSignerOfKey } from '../../chain/signers/raw-key.ts';
import { testSigner } from '../../chain/signers/test-signer.ts';
import { StopError } from '../../platform/errors.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { askPassword } from './keystore-password.ts';

interface PasswordOption {
  passwordFile?: string;
  json?: boolean;
}

/** `mintrail signer`. It accepts no key and no password on the command line. */
export function addSignerCommands(program: Command): void {
  const signer = program.command('signer').description('create a key for a signer, or test a signer');

  signer
    .command('create')
    .description('create a key in an encrypted keystore (Web3 Secret Storage, version 3)')
    .requiredOption('--keystore <path>', 'file to create')
    .option('--password-file <path>', 'file with its password; without it the command asks')
    .option('--json', 'print JSON')
    .action(({ keystore, passwordFile, json = false }: PasswordOption & { keystore: string }) =>
      createKeystore({ path: keystore, passwordFile, json }),
    );

  signer
    .command('show')
    .description('make a signer sign a test, and show its address and kind')
    .argument(
      '<reference>',
      'keystore:PATH, awskms:KEY, web3signer:URL/0xADDRESS or file:PATH, as in <NETWORK>_SIGNERS, such as GNOSIS_SIGNERS',
    )
    .option('--password-file <path>', 'file with the password of the keystore; without it the command asks')
    .option('--json', 'print JSON')
    .action((reference: string, { passwordFile, json = false }: PasswordOption) => showSigner({ reference, passwordFile, json }));
}

/**
 * `mintrail signer create`: writes a new key to a keystore that only its owner may read, and opens it once to test it. Never overwrites a file.
 * Throws `not_possible`, `invalid_settings`.
 */
async function createKeystore(options: { path: string; passwordFile: string | undefined; json: boolean }): Promise<void> {
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

/**
 * `mintrail signer show`: tests a signer and shows its address. Throws `secret_in_arguments` for a raw key, because a command line is not secret,
 * and the errors of the signer.
 */
async function showSigner(options: { reference: string; passwordFile: string | undefined; json: boolean }): Promise<void> {
  const { reference } = options;
  if (/^(0x)?[0-9a-fA-F]{32,}$/.test(reference)) {
    throw new StopError({
      code: 'secret_in_arguments',
      message:
        'That looks like a private key. Every process can read a command line, and the shell stores it: use another key, with file:PATH',
    });
  }
  const keystorePassword = reference.startsWith('keystore:') ? await askPassword(options.passwordFile) : undefined;
  const rows = [];
  for (const single of expandReference(reference)) {
    const signer = await createSigner(single, { environment: 'sandbox', keystorePassword });
    await testSigner(signer);
    rows.push({ address: signer.address, kind: signer.kind });
  }
  print(
    options.json
      ? renderJson(rows)
      : renderTable(
          ['address', 'kind'],
          rows.map(({ address, kind }) => [address, kind]),
        ),
  );
}
