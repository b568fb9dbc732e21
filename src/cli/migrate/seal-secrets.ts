import { createLedger } from '../../ledger/ledger.ts';
import { resealSecrets, sealingKeysInUse } from '../../ledger/sealed-secrets.ts';
import { wakesNobody } from '../../ledger/wake-ups.ts';
import { directUrl } from '../../platform/postgres/connections.ts';
import { createPool } from '../../platform/database.ts';
import { openSealer } from '../../platform/sealing.ts';
import type { Settings } from '../../platform/settings.ts';

/**
 * Seals the secrets of a database from before they were sealed. Needs a key only where there are some. Returns how many. Throws
 * `missing_secret` and `invalid_secrets_key`.
 */
export async function sealPlainSecrets(settings: Settings): Promise<number> {
  // As the migration itself: connections of a pooler may not have the search path yet.
  const ledger = createLedger(createPool({ connectionString: directUrl(settings), max: 1, name: 'mintrail migrate' }), wakesNobody);
  try {
    if (!(await sealingKeysInUse(ledger)).has('')) return 0;
    const results = await resealSecrets(ledger, openSealer(settings));
    return results.reduce((sum, { sealed }) => sum + sealed, 0);
  } finally {
    await ledger.destroy();
  }
}
