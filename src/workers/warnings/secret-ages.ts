import { stat } from 'node:fs/promises';
import { oldClientSecrets } from '../../ledger/access/applications/rotate-secret.ts';
import { secretFiles } from '../../platform/secret-files.ts';
import { settingVariable } from '../../platform/settings.ts';
import type { Warning, WarningDeps } from './warning.ts';

/**
 * Warns of secrets that are older than `WARN_AT` says: the files of keys, passwords and keystores, by the time at which each was written, and the client
 * secrets of applications. Of a secret that stands in a variable, or in a key service, no date is known.
 */
export async function secretWarnings({ settings, ledger }: WarningDeps): Promise<Warning[]> {
  const { secretDays: days } = settings.warnAt;
  if (days === 0) return [];
  const before = new Date(Date.now() - days * 86_400_000);
  const warnings: Warning[] = [];
  for (const { variable, file } of secretFiles(settings)) {
    if (variable === settingVariable('secretsKeysOld')) continue;
    const written = await stat(file)
      .then(({ mtime }) => mtime)
      .catch(() => undefined);
    if (written === undefined || written > before) continue;
    const text = `the secret of ${variable} (${file}) is of ${written.toISOString().slice(0, 10)}: ${remedyFor(variable)}`;
    warnings.push({ kind: 'secret_old', subject: `${variable} ${file}`, text });
  }
  const old = await oldClientSecrets(ledger, before);
  if (old !== undefined) {
    const text = `${old.count} client ${old.count === 1 ? 'secret is' : 'secrets are'} older than ${days} days, the oldest that of ${old.name}: agree on a time with its owner, then \`mintrail app rotate-secret ${old.id}\``;
    warnings.push({ kind: 'secret_old', subject: 'client secrets', text });
  }
  return warnings;
}

/** What to do about an old secret of a variable. */
function remedyFor(variable: string): string {
  return variable === settingVariable('secretsKey')
    ? 'make a new one and rotate it (docs/operations/deployment.md, Secrets at rest)'
    : 'make a new signer with a keystore of its own (docs/operations/runbooks/secret_old.md)';
}
