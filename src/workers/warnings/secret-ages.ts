import { stat } from 'node:fs/promises';
import { oldClientSecrets } from '../../ledger/access/applications.ts';
import { chainsOf } from '../../platform/chains.ts';
import { networkVariable, settingVariable, type Settings } from '../../platform/settings.ts';
import type { Warning, WarningDeps } from './warning.ts';

/**
 * Warns of secrets that are older than `WARN_SECRET_DAYS`: the files of keys, passwords and keystores, by the time at which each was written, and the client
 * secrets of applications. Of a secret that stands in a variable, or in a key service, no date is known.
 */
export async function secretWarnings({ settings, ledger }: WarningDeps): Promise<Warning[]> {
  const { warnSecretDays: days } = settings;
  if (days === 0) return [];
  const before = new Date(Date.now() - days * 86_400_000);
  const warnings: Warning[] = [];
  for (const { variable, file, remedy } of filesOf(settings)) {
    const written = await stat(file)
      .then(({ mtime }) => mtime)
      .catch(() => undefined);
    if (written === undefined || written > before) continue;
    const text = `the secret of ${variable} (${file}) is of ${written.toISOString().slice(0, 10)}: ${remedy}`;
    warnings.push({ kind: 'secret_old', subject: variable, text });
  }
  const old = await oldClientSecrets(ledger, before);
  if (old !== undefined) {
    const text = `${old.count} client ${old.count === 1 ? 'secret is' : 'secrets are'} older than ${days} days, the oldest that of ${old.name}: agree on a time with its owner, then \`mintrail app rotate-secret ${old.id}\``;
    warnings.push({ kind: 'secret_old', subject: 'client secrets', text });
  }
  return warnings;
}

interface SecretFile {
  variable: string;
  file: string;
  remedy: string;
}

/** The files whose age is known. */
function filesOf(settings: Settings): SecretFile[] {
  const keyRemedy = 'make a new one and rotate it (docs/operations.md, Secrets at rest)';
  const files = secretFile(settingVariable('secretsKey'), settings.secretsKey, 'file:', keyRemedy);
  for (const chain of chainsOf(settings.networks)) {
    const { keystorePassword, signers = [] } = settings.networks[chain] ?? {};
    files.push(...secretFile(networkVariable(chain, 'keystorePassword'), keystorePassword, 'file:', signerRemedy));
    for (const signer of signers)
      files.push(...secretFile(`${networkVariable(chain, 'signers')} ${signer}`, signer, 'keystore:', signerRemedy));
  }
  return files;
}

const signerRemedy = 'give the network a new signer with a keystore of its own (docs/operations.md, secret_old)';

/** The file that a setting names, after its prefix; none where the secret is elsewhere. */
function secretFile(variable: string, value: string | undefined, prefix: 'file:' | 'keystore:', remedy: string): SecretFile[] {
  return value?.startsWith(prefix) ? [{ variable, file: value.slice(prefix.length), remedy }] : [];
}
