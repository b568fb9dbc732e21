import path from 'node:path';
import { type Chain, chainFacts } from '../../platform/chains.ts';
import {
  loadSomeSettings,
  networkDefaults,
  networkVariable,
  type NetworkSettingName,
  type SettingName,
  settingVariable,
} from '../../platform/settings.ts';
import { checkBaseUrl, checkDatabase, checkEndpoints, checkFolder, checkIbanRange, checkMailServer, checkTokens } from './checks.ts';
import type { Question, QuestionGroup } from './question.ts';

/** The questions of a deployment with these networks, in their order. `secrets` is the folder in which the processes see them. */
export function setupQuestions(chains: readonly Chain[], secrets: string): QuestionGroup[] {
  return [database, address, mails, bank, ...chains.map((chain) => network(chain, secrets))];
}

/** The questions that docker-compose.yml leaves open: it has a database, Redis, a proxy and volumes. */
export function composeQuestions(chains: readonly Chain[], secrets: string): QuestionGroup[] {
  const answered = new Set(
    (['dataDir', 'databaseUrl', 'redisUrl', 'trustedProxies', 'bankInbox', 'bankOutbox'] as const).map(settingVariable),
  );
  return setupQuestions(chains, secrets)
    .map(({ title, questions }) => ({ title, questions: questions.filter(({ variable }) => !answered.has(variable)) }))
    .filter(({ questions }) => questions.length > 0);
}

const database: QuestionGroup = {
  title: 'The machine and its database',
  questions: [
    ask('dataDir', {
      explanation: 'The folder in which uploaded files and logs are kept.',
      example: '/var/lib/mintrail',
      standard: 'data',
      unset: defaultOf('dataDir'),
    }),
    ask('databaseUrl', {
      explanation: 'PostgreSQL, 15 or newer, with a database and a role of its own. Everything that matters is in it.',
      example: 'postgresql://mintrail:PASSWORD@127.0.0.1:5432/mintrail',
      isSecret: true,
      check: checkDatabase,
    }),
    ask('redisUrl', {
      explanation: 'Redis carries wake-ups, and limits of all copies of the API. Without it PostgreSQL does.',
      example: 'redis://127.0.0.1:6379',
      isOptional: true,
      isSecret: true,
    }),
  ],
};

const address: QuestionGroup = {
  title: 'The public address',
  questions: [
    ask('baseUrl', {
      explanation: 'The address at which customers and partners reach the API. A proxy with TLS answers there.',
      example: 'https://money.example',
      check: checkBaseUrl,
    }),
    ask('trustedProxies', {
      explanation: 'How many proxies of yours stand before the API. A number that is too high lets callers make up their network address.',
      example: '1 for one proxy, 2 for a balancer before it',
      standard: '1',
      unset: defaultOf('trustedProxies'),
    }),
  ],
};

const mails: QuestionGroup = {
  title: 'Mails',
  questions: [
    ask('smtpUrl', {
      explanation: 'The mail server. Without it nobody can sign up or reset a password.',
      example: 'smtp://USER:PASSWORD@mail.example:587 (STARTTLS), or smtps://…:465',
      isOptional: true,
      isSecret: true,
      check: checkMailServer,
    }),
    ask('mailFrom', {
      explanation: 'The sender of the mails. Required with a mail server.',
      example: 'accounts@money.example',
      isOptional: true,
    }),
  ],
};

const bank: QuestionGroup = {
  title: 'The bank',
  questions: [
    ask('bankAccounts', {
      explanation: "The IBAN of the account that holds the customers' money: payments leave it, and its statements are read.",
      example: 'DE75512108001245126199, or of several currencies eur:IBAN,gbp:IBAN',
    }),
    ask('bankAccountName', { explanation: 'The holder of that account, as the bank knows it.', example: 'Example E-Money GmbH' }),
    ask('bankBic', { explanation: 'The BIC of the bank that holds it.', example: 'EXAMDEFF' }),
    ask('bankIbanCountry', {
      explanation: 'The country of the IBANs that customers get. Your bank has agreed on a range of them with you.',
      example: 'DE',
    }),
    ask('bankIbanPrefix', {
      explanation:
        'What all IBANs of the range have in common behind the country and the two check digits: the bank code and the fixed part of the account number. If the bank gives you ' +
        'DE.. 51210800 4 000000000 to DE.. 51210800 4 999999999, it is 512108004.',
      example: '512108004',
      check: checkIbanRange,
      isChecked: 'offline',
    }),
    ask('bankInbox', {
      explanation:
        "The folder into which the bank's channel (EBICS, SFTP) puts camt.053, camt.054 and pain.002. Without it statements are imported by hand.",
      example: '/srv/bank/inbox',
      isOptional: true,
      check: checkFolder,
      isChecked: 'offline',
    }),
    ask('bankOutbox', {
      explanation: "The folder from which the bank's channel takes payment files (pain.001).",
      example: '/srv/bank/outbox',
      check: checkFolder,
      isChecked: 'offline',
    }),
  ],
};

function network(chain: Chain, secrets: string): QuestionGroup {
  const { name, id } = chainFacts(chain);
  const of = (setting: NetworkSettingName, question: Omit<Question, 'variable'>): Question => ({
    variable: networkVariable(chain, setting),
    ...question,
  });
  return {
    title: `The network ${name}`,
    questions: [
      of('rpcUrls', {
        explanation: `Endpoints of ${name} (chain id ${id}), comma separated. Two or more of different providers, so that none is believed alone.`,
        example: 'https://rpc.one.example/KEY,https://rpc.two.example/KEY',
        isSecret: true,
        check: (_, env) => checkEndpoints(chain, env),
      }),
      of('tokens', {
        explanation:
          'The tokens by currency. Leave it out while there is none: `mintrail token deploy` makes one, and `mintrail chain add` sets it.',
        example: 'eur:0x420CA0f9B9b604cE0fd9C18EF134C705e5Fa3430',
        isOptional: true,
        check: (_, env) => checkTokens(chain, env),
      }),
      of('signers', {
        explanation:
          'What signs transactions: a keystore, which `mintrail signer create` makes, or a key of AWS KMS or web3signer. No key stands here.',
        example: 'keystore:secrets/gnosis/keystore.json, awskms:KEY_ID',
        standard: standardSigner(chain, secrets),
      }),
      of('gasBudget', { ...gasBudget(chain), example: '0 is no limit' }),
    ],
  };
}

/** The keystore that is made where none is there. */
export function standardSigner(chain: Chain, secrets: string): string {
  return `keystore:${path.join(secrets, chain, 'keystore.json')}`;
}

/** How many redemptions a budget pays for, since an amount alone says little. */
function gasBudget(chain: Chain): Pick<Question, 'explanation' | 'standard'> {
  const { gasBudget: coins, feeCeilingGwei } = networkDefaults(chain);
  const { symbol } = chainFacts(chain).currency;
  const atCeiling = Math.ceil((coins * 1e9) / (redemptionByContractGas * feeCeilingGwei));
  return {
    explanation:
      `What orders of one profile may cost you in a day for gas, in ${symbol}: those that contract accounts sign, that come from another network, or that are below 1.00. ` +
      `${coins} ${symbol} pay for ${atCeiling} redemptions of a contract account even at the ceiling of ${feeCeilingGwei} gwei, and for more at a lower price. Redemptions that a key signs do not count.`,
    standard: String(coins),
  };
}

/** Gas that is set aside for a redemption that a contract account signs, rounded up (src/chain/gas-bounds.ts). */
const redemptionByContractGas = 600_000;

/** Questions about the settings of a file that is there: silence leaves in effect what is in effect without the setting. */
export function keepingDefaults(groups: readonly QuestionGroup[]): QuestionGroup[] {
  return groups.map(({ title, questions }) => ({
    title,
    questions: questions.map((question) => (question.unset === undefined ? question : { ...question, standard: question.unset })),
  }));
}

function ask(name: SettingName, question: Omit<Question, 'variable'>): Question {
  return { variable: settingVariable(name), ...question };
}

/** The default of a setting, for {@link Question.unset}. */
function defaultOf(name: 'dataDir' | 'trustedProxies'): string {
  return String(loadSomeSettings([name], {})[name]);
}
