import { createSigner, expandReference } from '../../chain/signers/create-signer.ts';
import { testSigner } from '../../chain/signers/test-signer.ts';
import { StopError } from '../../platform/errors.ts';
import { askPassword } from './keystore-password.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';

/**
 * `mintrail signer show`: tests a signer and shows its address. Throws `secret_in_arguments` for a raw key, because a command line is not secret,
 * and the errors of the signer.
 */
export async function showSigner(options: { reference: string; passwordFile: string | undefined; json: boolean }): Promise<void> {
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
