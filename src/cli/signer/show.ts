import { createSigner, expandReference } from '../../chain/signers/create-signer.ts';
import { testSigner } from '../../chain/signers/test-signer.ts';
import { StopError } from '../../platform/errors.ts';
import { askPassword } from './keystore-password.ts';
import { renderJson, renderTable } from '../output.ts';

/** Shows who a reference signs as, and proves it. Takes no raw key: what stands on a command line is no secret any more. */
export async function showSigner(given: { reference: string; passwordFile: string | undefined; json: boolean }): Promise<void> {
  const { reference } = given;
  if (/^(0x)?[0-9a-fA-F]{32,}$/.test(reference)) {
    throw new StopError({
      code: 'secret_in_arguments',
      message:
        'That looks like a private key. On a command line every process can read it, and the shell remembers it: use another key, and file:PATH',
    });
  }
  const keystorePassword = reference.startsWith('keystore:') ? await askPassword(given.passwordFile) : undefined;
  const rows = [];
  for (const one of expandReference(reference)) {
    const signer = await createSigner(one, { environment: 'sandbox', keystorePassword });
    await testSigner(signer);
    rows.push({ address: signer.address, kind: signer.kind });
  }
  console.log(
    given.json
      ? renderJson(rows)
      : renderTable(
          ['address', 'kind'],
          rows.map(({ address, kind }) => [address, kind]),
        ),
  );
}
