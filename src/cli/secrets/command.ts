import type { Command } from 'commander';
import { recordAct } from '../../ledger/access/audit-log.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { countSecrets, resealSecrets, rowsUnderKey } from '../../ledger/sealed-secrets.ts';
import { generateSecretsKey, openSealer, type Sealer } from '../../platform/sealing.ts';
import { cliSettings } from '../cli-settings.ts';
import { callingOperator } from '../operator.ts';
import { chainsOption } from '../option-values.ts';
import { renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { exitCodes } from '../render-error.ts';
import { changeLedger } from '../verbs/carry-out-verb.ts';
import { withLedger } from '../with-ledger.ts';
import type { CreateOptions } from './create.ts';

/** `mintrail secrets`. */
export function addSecretsCommands(program: Command): void {
  const secrets = program.command('secrets').description('make, change and check the key that seals secrets in the database');

  secrets
    .command('create')
    .description('make the secrets of a deployment in files that only this user may read: the key of secrets, and passwords for keystores')
    .argument('<folder>', 'where: its secrets-key, NETWORK/password and NETWORK-deployer/password. What exists is kept')
    .addOption(chainsOption('--network <name>', 'network with keystores of its own; repeatable'))
    .option('--write <file>', 'also write a POSTGRES_PASSWORD into this file of NAME=value lines, unless it has one')
    .option('--json', 'print JSON')
    .action(async (folder: string, options: CreateOptions) => (await import('./create.ts')).createSecrets(folder, options));

  secrets
    .command('generate-key')
    .description('print a new random key for SECRETS_KEY; redirect it into a file that only the service may read')
    .action(() => print(generateSecretsKey()));

  secrets
    .command('status')
    .description('count the secrets by the key that sealed them; exit code 1 when some are not sealed with the current one')
    .option('--json', 'print JSON')
    .action(({ json = false }: { json?: boolean }) => printStatus(json));

  secrets
    .command('rotate')
    .description('seal every secret with SECRETS_KEY, also those of SECRETS_KEYS_OLD; may be stopped and run again')
    .option('--yes', 'do not ask whether to do it')
    .option('--json', 'print JSON; needs --yes')
    .action(rotate);
}

/** Rows that are named of those that are not sealed with the current key. */
const namedRows = 10;

/** `mintrail secrets status`. Exit code 1 when a secret is not sealed with the current key. */
async function printStatus(json: boolean): Promise<void> {
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

/** `mintrail secrets rotate`. Exit code 1 when a secret did not open; it is named, and the others are sealed all the same. */
async function rotate(options: { yes?: boolean; json?: boolean }): Promise<void> {
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
