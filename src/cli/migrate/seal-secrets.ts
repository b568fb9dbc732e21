import { resealSecrets, sealingKeysInUse } from '../../ledger/sealed-secrets.ts';
import { openSealer } from '../../platform/sealing.ts';
import type { Settings } from '../../platform/settings.ts';
import { withLedger } from '../with-ledger.ts';

/**
 * Seals the secrets of a database from before they were sealed. Needs a key only where there are some. Returns how many. Throws
 * `missing_secret` and `invalid_secrets_key`.
 */
export async function sealPlainSecrets(settings: Settings): Promise<number> {
  return withLedger(async (ledger) => {
    if (!(await sealingKeysInUse(ledger)).has('')) return 0;
    const results = await resealSecrets(ledger, openSealer(settings));
    return results.reduce((sum, { sealed }) => sum + sealed, 0);
  });
}
