import { recordAct } from '../../ledger/access/audit-log.ts';
import { resealSecrets } from '../../ledger/sealed-secrets.ts';
import { openSealer } from '../../platform/sealing.ts';
import { cliSettings } from '../cli-settings.ts';
import { callingOperator } from '../operator.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { exitCodes } from '../render-error.ts';
import { changeLedger } from '../verbs/carry-out-verb.ts';

/** `mintrail secrets rotate`. Exit code 1 when a secret did not open; it is named, and the others are sealed all the same. */
export async function rotate(options: { yes?: boolean; json?: boolean }): Promise<void> {
  const { json = false } = options;
  const sealer = openSealer(cliSettings());
  const results = await changeLedger(
    { roles: ['administrator'], sentence: `Seal every secret with the key ${sealer.keyId}` },
    options,
    async (ledger) => {
      const actor = callingOperator();
      await recordAct(ledger, { actor, action: 'secrets.rotate', subjectKind: 'secrets', subject: sealer.keyId, detail: {} });
      return resealSecrets(ledger, sealer);
    },
  );
  if (results.some(({ failed }) => failed.length > 0)) process.exitCode = exitCodes.failed;
  if (json) return print(renderJson({ keyId: sealer.keyId, results }));
  for (const { table, column, sealed, failed } of results) {
    print(`${table}.${column}: ${sealed} sealed with the key ${sealer.keyId}, ${failed.length} did not open`);
    for (const { code, message } of failed) print(`  ${message} (${code})`);
  }
}
