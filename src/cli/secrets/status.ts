import { countSecrets } from '../../ledger/sealed-secrets.ts';
import { openSealer, type Sealer } from '../../platform/sealing.ts';
import { cliSettings } from '../cli-settings.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { exitCodes } from '../render-error.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail secrets status`. Exit code 1 when a secret is not sealed with the current key. */
export async function printStatus(json: boolean): Promise<void> {
  const sealer = openSealer(cliSettings());
  const counts = (await withLedger(countSecrets)).map(({ table, column, keyId, count }) => {
    return { table, column, keyId, key: keyName(sealer, keyId), count };
  });
  if (counts.some(({ keyId }) => keyId !== sealer.keyId)) process.exitCode = exitCodes.failed;
  if (json) return print(renderJson({ keyId: sealer.keyId, secrets: counts }));
  print(`SECRETS_KEY is ${sealer.keyId}.`);
  if (counts.length === 0) return print('No secrets are stored.');
  const rows = counts.map(({ table, column, keyId, key, count }) => [table, column, keyId, key, String(count)]);
  print(renderTable(['table', 'column', 'key', '', 'secrets'], rows));
}

function keyName(sealer: Sealer, keyId: string): 'current' | 'old' | 'unknown' | 'not sealed' {
  if (keyId === '') return 'not sealed';
  if (keyId === sealer.keyId) return 'current';
  return sealer.knownKeyIds.includes(keyId) ? 'old' : 'unknown';
}
