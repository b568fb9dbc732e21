import type { Ledger } from '../../ledger/ledger.ts';
import { countSecrets, rowsUnderKey } from '../../ledger/sealed-secrets.ts';
import { openSealer, type Sealer } from '../../platform/sealing.ts';
import { cliSettings } from '../cli-settings.ts';
import { renderJson, renderTable } from '../output.ts';
import { exitCodes } from '../render-error.ts';
import { withLedger } from '../with-ledger.ts';
import { print } from '../print.ts';

/** Rows that are named of those that are not sealed with the current key. */
const namedRows = 10;

/** `mintrail secrets status`. Exit code 1 when a secret is not sealed with the current key. */
export async function printStatus(json: boolean): Promise<void> {
  const sealer = openSealer(cliSettings());
  const secrets = await withLedger((ledger) => readStatus(ledger, sealer));
  if (secrets.some(({ key }) => key !== 'current')) process.exitCode = exitCodes.failed;
  if (json) return print(renderJson({ keyId: sealer.keyId, secrets }));
  print(`SECRETS_KEY is ${sealer.keyId}.`);
  if (secrets.length === 0) return print('No secrets are stored.');
  const cells = secrets.map(({ table, column, keyId, key, count }) => [table, column, keyId, key, String(count)]);
  print(renderTable(['table', 'column', 'key', '', 'secrets'], cells));
  for (const { table, column, key, count, rows } of secrets)
    if (rows.length > 0)
      print(`${key} in ${table}.${column}: ${rows.join(', ')}${count > rows.length ? ` and ${count - rows.length} more` : ''}`);
}

async function readStatus(ledger: Ledger, sealer: Sealer) {
  const counts = await countSecrets(ledger);
  return Promise.all(
    counts.map(async ({ table, column, keyId, count }) => {
      const key = keyName(sealer, keyId);
      const rows = key === 'current' ? [] : await rowsUnderKey(ledger, { table, column, keyId }, namedRows);
      return { table, column, keyId, key, count, rows };
    }),
  );
}

function keyName(sealer: Sealer, keyId: string): 'current' | 'old' | 'unknown' | 'not sealed' {
  if (keyId === '') return 'not sealed';
  if (keyId === sealer.keyId) return 'current';
  return sealer.knownKeyIds.includes(keyId) ? 'old' : 'unknown';
}
