import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { type CheckResult, type Finding, runCheck } from '../../chain/probes/finding.ts';
import type { Chain } from '../../platform/chains.ts';
import { messageOf, StopError } from '../../platform/errors.ts';
import { loadServiceSettings } from '../../platform/service-settings.ts';
import { type Environment, networkVariable, settingVariable } from '../../platform/settings.ts';
import { exitCodeOf, levelWords } from '../chain/check.ts';
import { readEnvFile, writeEnvFile } from '../env-file.ts';
import { print } from '../print.ts';
import { makeSecrets } from '../secrets/create.ts';
import { answersAsker, type Asker, terminalAsker } from './asker.ts';
import type { Question } from './question.ts';
import { setupQuestions } from './questions.ts';

/** Options of `mintrail setup`. */
export interface SetupOptions {
  chain?: readonly Chain[];
  write: string;
  secrets: string;
  answers?: string;
  offline?: boolean;
  yes?: boolean;
}

type Values = Record<string, string>;

/**
 * `mintrail setup`: asks for the settings of the smallest production, checks each, and writes them all at the end, and the secrets that do not exist yet. Exit
 * code 75 when something did not answer. Throws `invalid_settings`, `not_confirmed`, and what writing the files throws.
 */
export async function setUp(options: SetupOptions): Promise<void> {
  const { chain: chains = ['gnosis'], write, secrets, offline = false, yes = false } = options;
  const asker = options.answers === undefined ? person() : answersAsker(await readAnswers(options.answers), yes, print);
  const before = readEnvFile(write);
  const values: Values = fixedValues(chains, secrets);
  const invalid: Values = {};
  const findings: Finding[] = [];
  for (const { title, questions } of setupQuestions(chains, secrets)) {
    asker.begin(title);
    for (const question of questions) {
      const answer = await answerTo(question, { asker, env: { ...before, ...values }, chains, offline });
      if (answer.problem !== undefined) invalid[question.variable] = answer.problem;
      if (answer.value !== undefined) values[question.variable] = answer.value;
      findings.push(...answer.findings);
    }
  }
  if (Object.keys(invalid).length > 0) throw invalidAnswers(invalid);
  await confirmReplacing(asker, before, values, write);
  makeSecrets(secrets, chains);
  writeEnvFile(write, values);
  print(nextSteps(chains, write, secrets));
  process.exitCode = exitCodeOf(findings);
}

/** What is not asked: it follows from the folder of secrets. */
function fixedValues(chains: readonly Chain[], secrets: string): Values {
  const ofNetworks = chains.flatMap((chain) => [
    [networkVariable(chain, 'keystorePassword'), `file:${path.join(secrets, chain, 'password')}`],
    [networkVariable(chain, 'deployer'), `keystore:${path.join(secrets, `${chain}-deployer`, 'keystore.json')}`],
    [networkVariable(chain, 'deployerPassword'), `file:${path.join(secrets, `${chain}-deployer`, 'password')}`],
  ]);
  return {
    [settingVariable('environment')]: 'production',
    [settingVariable('secretsKey')]: `file:${path.join(secrets, 'secrets-key')}`,
    ...(Object.fromEntries(ofNetworks) as Values),
  };
}

interface Asking {
  asker: Asker;
  /** What the file has, and what was answered before. */
  env: Values;
  chains: readonly Chain[];
  offline: boolean;
}

interface Answer {
  value?: string;
  /** Why the value is refused. */
  problem?: string;
  findings: readonly Finding[];
}

/** Asks until the answer is sound, or until somebody keeps one that could not be checked. A file of answers is asked once. */
async function answerTo(question: Question, asking: Asking): Promise<Answer> {
  const { asker, env } = asking;
  for (;;) {
    const value = await asker.ask(question, env[question.variable]);
    const answer = value === undefined ? { findings: [], ...missing(question) } : await examine(question, value, asking);
    if (!asker.isPerson) return answer;
    if (answer.problem !== undefined) asker.show(answer.problem);
    else if (!answer.findings.some(({ level }) => level === 'unknown') || (await asker.confirm('It did not answer. Keep it all the same?')))
      return answer;
  }
}

function missing({ isOptional = false, explanation, example }: Question): { problem?: string } {
  return isOptional ? {} : { problem: `is not set: ${explanation} Such as ${example}` };
}

/** The form of an answer, then what it names. */
async function examine(question: Question, value: string, { asker, env, chains, offline }: Asking): Promise<Answer> {
  const now = { ...env, [question.variable]: value };
  const form = formProblem(question.variable, now, chains);
  if (form !== undefined) return { value, problem: form, findings: [] };
  if (question.check === undefined || (offline && question.isChecked !== 'offline')) return { value, findings: [] };
  const findings = await findingsOf(question, value, now);
  for (const { level, check, detail, remedy } of findings)
    if (level !== 'failure')
      asker.show(
        `${question.variable}: ${levelWords[level]}: ${check === '' ? '' : `${check}: `}${detail}${remedy === undefined ? '' : `. ${remedy}`}`,
      );
  const failed = findings.filter(({ level }) => level === 'failure');
  const problem = failed
    .map(({ check, detail, remedy = '' }) => [check, detail, remedy].filter((part) => part !== '').join(': '))
    .join('; ');
  return { value, findings, ...(problem === '' ? {} : { problem }) };
}

async function findingsOf({ variable, check }: Question, value: string, env: Environment): Promise<readonly Finding[]> {
  let several: readonly Finding[] | undefined;
  const single = await runCheck(variable, '', async () => {
    const result = (await check?.(value, env)) ?? [];
    if (!Array.isArray(result)) return result as CheckResult;
    several = result as readonly Finding[];
    return { level: 'ok', detail: '' };
  });
  return several ?? [single];
}

/** What is wrong with the form of a variable, as the processes would say it. */
function formProblem(variable: string, env: Values, chains: readonly Chain[]): string | undefined {
  // A network without a token is read as well: a list without an entry.
  const open = Object.fromEntries(chains.map((chain) => networkVariable(chain, 'tokens')).map((name) => [name, env[name] || ',']));
  try {
    loadServiceSettings({ api: true, console: true, common: true, workerChains: chains }, { ...env, ...open });
    return undefined;
  } catch (error) {
    if (error instanceof StopError) return error.fields?.[variable];
    throw error;
  }
}

function invalidAnswers(invalid: Values): StopError {
  const lines = Object.entries(invalid).map(([name, problem]) => `  ${name}: ${problem}`);
  return new StopError({
    code: 'invalid_settings',
    message: `Nothing was written. Answers are missing or wrong:\n${lines.join('\n')}`,
    fields: invalid,
  });
}

async function confirmReplacing(asker: Asker, before: Values, values: Values, file: string): Promise<void> {
  const replaced = Object.keys(values).filter((name) => before[name] !== undefined && before[name] !== '' && before[name] !== values[name]);
  if (replaced.length === 0 || (await asker.confirm(`Replace ${replaced.join(', ')} in ${file}?`))) return;
  throw new StopError({
    code: 'not_confirmed',
    message: `Nothing was written: ${file} has other values of ${replaced.join(', ')}. Confirm on a terminal, or add --yes`,
  });
}

function person(): Asker {
  if (process.stdin.isTTY) return terminalAsker();
  throw new StopError({ code: 'not_confirmed', message: 'There is no terminal to ask on: use --answers FILE, or --answers - for stdin' });
}

/** Throws `env_file_unreadable`. */
async function readAnswers(file: string): Promise<Values> {
  if (file === '-') return parseEnv(await readAll(process.stdin)) as Values;
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Values;
  } catch (cause) {
    const why = existsSync(file) ? messageOf(cause) : 'it does not exist';
    throw new StopError({ code: 'env_file_unreadable', message: `${file} cannot be read: ${why}`, cause });
  }
}

function nextSteps(chains: readonly Chain[], file: string, secrets: string): string {
  const keys = chains.flatMap((chain) => [chain, `${chain}-deployer`]).map((owner) => path.join(secrets, owner));
  return [
    `\n${file} and ${secrets} have what the processes need. Next (docs/operations.md, The operator's tour):\n`,
    `  mintrail --settings ${file} migrate`,
    ...keys.map(
      (folder) =>
        `  mintrail signer create --keystore ${path.join(folder, 'keystore.json')} --password-file ${path.join(folder, 'password')}`,
    ),
    ...chains.flatMap((chain) => [
      `  mintrail --settings ${file} safe create --chain ${chain} --owner 0x… --owner 0x… --owner 0x… --threshold 2`,
      `  mintrail --settings ${file} token deploy --chain ${chain} --currency eur --admin 0xSAFE --operator 0xSIGNER --mint-allowance AMOUNT`,
      `  mintrail chain add ${chain} --token eur:0x… --write ${file}`,
    ]),
  ].join('\n');
}
