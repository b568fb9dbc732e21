import type { Chain } from '../../platform/chains.ts';
import { type Environment, networkVariable } from '../../platform/settings.ts';
import type { Deployment } from './deployment.ts';

/** The commands behind `mintrail setup`, for keys, Safe and token. `env` has what the file has. */
export function nextSteps(chains: readonly Chain[], env: Environment, { command, given }: Deployment, file: string): string {
  const isMigrated = Object.keys(given).length > 0;
  return [
    `\nNext (docs/operations.md, The operator's tour):\n`,
    ...(isMigrated ? [] : [`  ${command} migrate`]),
    ...chains.flatMap((chain) => [
      ...keystoreSteps(env[networkVariable(chain, 'signers')], env[networkVariable(chain, 'keystorePassword')], command),
      ...keystoreSteps(env[networkVariable(chain, 'deployer')], env[networkVariable(chain, 'deployerPassword')], command),
      `  ${command} safe create --chain ${chain} --owner 0x… --owner 0x… --owner 0x… --threshold 2`,
      `  ${command} token deploy --chain ${chain} --currency eur --admin 0xSAFE --operator 0xSIGNER --mint-allowance AMOUNT`,
      `  ${command} chain add ${chain} --token eur:0x… --write ${file}`,
    ]),
  ].join('\n');
}

/** One for each keystore of the references whose password is in a file. */
function keystoreSteps(references = '', password = '', command: string): string[] {
  if (!password.startsWith('file:')) return [];
  const keystores = references.split(',').filter((reference) => reference.startsWith('keystore:'));
  return keystores.map(
    (reference) =>
      `  ${command} signer create --keystore ${reference.slice('keystore:'.length)} --password-file ${password.slice('file:'.length)}`,
  );
}
