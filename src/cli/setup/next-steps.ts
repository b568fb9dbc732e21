import { existsSync } from 'node:fs';
import type { Chain } from '../../platform/chains.ts';
import { type Environment, networkVariable } from '../../platform/settings.ts';
import { shellWord } from '../../platform/shell-word.ts';
import type { Deployment } from './deployment.ts';

/** The commands behind `mintrail setup`, for keys, Safe and token, as far as a network has none, and for its processes. `env` has what the file has. */
export function nextSteps(chains: readonly Chain[], env: Environment, { command, preset }: Deployment, file: string): string {
  const isCompose = Object.keys(preset).length > 0;
  const start = isCompose
    ? ['  docker compose up -d']
    : chains.flatMap((chain) => [`  ${command} worker --chain ${chain}`, `  ${command} indexer --chain ${chain}`]);
  return [
    '\nNext (docs/operations/tour.md):\n',
    ...(isCompose ? [] : [`  ${command} migrate`]),
    ...chains.flatMap((chain) => networkSteps(chain, env, command, file)),
    ...start,
    '\nStart the API and the common worker with these settings, or restart them: they serve all networks.',
  ].join('\n');
}

/** A network with a token has its Safe, too; what its index lacks is the block to begin at. */
function networkSteps(chain: Chain, env: Environment, command: string, file: string): string[] {
  const variable = (name: Parameters<typeof networkVariable>[1]) => env[networkVariable(chain, name)];
  const signers = keystoreSteps(variable('signers'), variable('keystorePassword'), command);
  if (variable('tokens')) {
    const isComplete = variable('startBlock') !== undefined;
    return [...signers, ...(isComplete ? [] : [`  ${command} chain add ${chain} --write ${shellWord(file)}`])];
  }
  return [
    ...signers,
    ...keystoreSteps(variable('deployer'), variable('deployerPassword'), command),
    `  ${command} safe create --chain ${chain} --owner 0x… --owner 0x… --owner 0x… --threshold 2`,
    `  ${command} token deploy --chain ${chain} --currency eur --admin 0xSAFE --operator 0xSIGNER --mint-allowance AMOUNT`,
    `  ${command} chain add ${chain} --token eur:0x… --write ${shellWord(file)}`,
  ];
}

/** One for each keystore of the references that is not there yet, and whose password is in a file. */
function keystoreSteps(references = '', password = '', command: string): string[] {
  if (!password.startsWith('file:')) return [];
  const keystores = references.split(',').filter((reference) => reference.startsWith('keystore:'));
  return keystores
    .map((reference) => reference.slice('keystore:'.length))
    .filter((keystore) => !existsSync(keystore))
    .map(
      (keystore) =>
        `  ${command} signer create --keystore ${shellWord(keystore)} --password-file ${shellWord(password.slice('file:'.length))}`,
    );
}
