import path from 'node:path';
import type { Chain } from '../../platform/chains.ts';
import { networkEnvironment, networkVariable, settingsEnvironment } from '../../platform/settings.ts';
import { shellWord } from '../../platform/shell-word.ts';
import { databasePassword, generatePassword } from '../secrets/create.ts';
import { calledAs } from './called-as.ts';
import type { QuestionGroup } from './question.ts';
import { composeQuestions, setupQuestions, standardSigner } from './questions.ts';

/** How the processes are started, by which their settings differ. */
export interface Deployment {
  questions: readonly QuestionGroup[];
  /** What is set without a question where it is not set yet. */
  unasked: Readonly<Record<string, string>>;
  /** What the processes get that is not in the file. */
  preset: Readonly<Record<string, string>>;
  /** The folder in which the processes see the secrets. */
  secrets: string;
  /** How a command is called that takes its settings from the file. */
  command: string;
}

/** Where docker-compose.yml mounts the secrets. */
const mountedSecrets = '/run/secrets';

/** Processes that are started by hand, or by units of their own. */
export function deploymentByHand(chains: readonly Chain[], secrets: string, file: string): Deployment {
  return {
    questions: setupQuestions(chains, secrets),
    unasked: { ...serviceSettings(chains, secrets), ...deployerSettings(chains, secrets) },
    preset: {},
    secrets,
    command: `${calledAs()} --settings ${shellWord(file)}`,
  };
}

/** The services of docker-compose.yml. */
export function deploymentByCompose(chains: readonly Chain[]): Deployment {
  const signers = chains.map((chain) => [networkVariable(chain, 'signers'), standardSigner(chain, mountedSecrets)]);
  return {
    questions: composeQuestions(chains, mountedSecrets),
    unasked: { ...deployerSettings(chains, mountedSecrets), [databasePassword]: generatePassword() },
    preset: {
      ...settingsEnvironment({ databaseUrl: 'postgresql://postgres', bankInbox: '/bank/inbox', bankOutbox: '/bank/outbox' }),
      ...serviceSettings(chains, mountedSecrets),
      ...(Object.fromEntries(signers) as Record<string, string>),
    },
    secrets: mountedSecrets,
    command: 'docker compose run --rm cli',
  };
}

/** What the processes need and nobody is asked for: it follows from the folder of secrets. */
function serviceSettings(chains: readonly Chain[], secrets: string): Record<string, string> {
  const passwords = chains.map((chain) => [networkVariable(chain, 'keystorePassword'), `file:${path.join(secrets, chain, 'password')}`]);
  return {
    ...settingsEnvironment({ environment: 'production', secretsKey: `file:${path.join(secrets, 'secrets-key')}` }),
    ...(Object.fromEntries(passwords) as Record<string, string>),
  };
}

/** The same for who deploys tokens by the command line. */
function deployerSettings(chains: readonly Chain[], secrets: string): Record<string, string> {
  const settings = chains.map((chain) =>
    networkEnvironment(chain, {
      deployer: `keystore:${path.join(secrets, `${chain}-deployer`, 'keystore.json')}`,
      deployerPassword: `file:${path.join(secrets, `${chain}-deployer`, 'password')}`,
    }),
  );
  return Object.assign({}, ...settings) as Record<string, string>;
}
