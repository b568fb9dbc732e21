import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { type CheckResult, type Finding, runCheck } from '../../chain/probes/finding.ts';
import type { Chain } from '../../platform/chains.ts';
import { messageOf, StopError } from '../../platform/errors.ts';
import { type Environment, networkVariable, settingVariable } from '../../platform/settings.ts';
import { exitCodeOf, levelWords } from '../chain/check.ts';
import { readEnvFile, writeEnvFile } from '../env-file.ts';
import { print } from '../print.ts';
import { databasePassword, makeSecrets, secretsOf } from '../secrets/create.ts';
import { loadServiceSettings } from '../services/service-settings.ts';
import { answersAsker, type Asker, terminalAsker } from './asker.ts';
import { type Deployment, deploymentByCompose, deploymentByHand } from './deployment.ts';
import { keepOther } from './keep-other.ts';
import { nextSteps } from './next-steps.ts';
import type { Question, QuestionGroup } from './question.ts';
import { keepingDefaults } from './questions.ts';

/** Options of `mintrail setup`. */
export interface SetupOptions {
  chain?: readonly Chain[];
  write: string;
  secrets: string;
  compose?: boolean;
  answers?: string;
  offline?: boolean;
  yes?: boolean;
}

type Values = Record<string, string>;

/**
 * `mintrail setup`: asks for the settings of the smallest production, checks each, then all together as the processes do, and writes them at the end, and the
 * secrets that do not exist yet. What is set already and not asked for stays. Exit code 75 when something did not answer. Throws `invalid_settings`,
 * `not_confirmed`, and what writing the files throws.
 */
export async function setUp(options: SetupOptions): Promise<void> {
  const { chain: chains = ['gnosis'], write, secrets, offline = false, yes = false } = options;
  const answers = options.answers === undefined ? undefined : await readAnswers(options.answers);
  const asker = answers === undefined ? person() : answersAsker(answers, yes, print);
  const before = readEnvFile(write);
  const isCompose = options.compose ?? (asker.isPerson && (await asker.confirm('Does docker-compose.yml start the processes?')));
  const deployment = isCompose ? deploymentByCompose(chains) : deploymentByHand(chains, secrets, write);
  const { unasked, preset } = deployment;
  const groups = existsSync(write) ? keepingDefaults(deployment.questions) : deployment.questions;
  const askedFor = new Set(groups.flatMap(({ questions }) => questions.map(({ variable }) => variable)));
  const known = { ...preset, ...Object.fromEntries(Object.entries(before).filter(([, value]) => value !== '')) };
  const values = Object.fromEntries(Object.entries(unasked).filter(([name]) => !known[name]));
  const problemsNow = () => settingProblems({ ...known, ...values }, chains);
  const wrong = Object.entries(problemsNow()).filter(([name]) => before[name] && !askedFor.has(name));
  if (asker.isPerson && wrong.length > 0) throw invalidAnswers(Object.fromEntries(wrong));
  const invalid = problemsOfNames(Object.keys(answers ?? {}), askedFor, write);
  const findings: Finding[] = [];
  for (const { title, questions } of groups) {
    asker.begin(title);
    for (const question of questions) {
      const answer = await answerTo(question, { asker, env: { ...known, ...values }, chains, offline });
      if (answer.problem !== undefined) invalid[question.variable] = answer.problem;
      if (answer.value !== undefined) values[question.variable] = answer.value;
      findings.push(...answer.findings);
    }
  }
  requireValid({ ...problemsNow(), ...invalid });
  if (await keepOther(asker, before, values, write)) requireValid(problemsNow());
  const env = { ...known, ...values };
  makeNamedSecrets(env, chains, secrets, deployment);
  const written = Object.fromEntries(Object.entries(values).filter(([name, value]) => known[name] !== value));
  writeEnvFile(write, written);
  const added = addedSettings(write, { before, written, groups });
  if (added !== undefined) print(`\n${added}`);
  print(`\n${write} and ${secrets} have what the processes need.`);
  print(nextSteps(chains, env, deployment, write));
  process.exitCode = exitCodeOf(findings);
}

/** Secrets whose files the settings name; a key that stands elsewhere gets no second one. */
function makeNamedSecrets(env: Values, chains: readonly Chain[], folder: string, { secrets }: Deployment): void {
  const named = new Set(Object.values(env));
  const files = [...secretsOf(folder, chains)].filter(([file]) => named.has(`file:${path.join(secrets, path.relative(folder, file))}`));
  makeSecrets(new Map(files));
}

function problemsOfNames(names: readonly string[], askedFor: ReadonlySet<string>, file: string): Values {
  const unknown = names.filter((name) => !askedFor.has(name));
  return Object.fromEntries(unknown.map((name) => [name, `is not asked for: correct the name, or write it into ${file} yourself`]));
}

function requireValid(problems: Values): void {
  if (Object.keys(problems).length > 0) throw invalidAnswers(problems);
}

interface Asking {
  asker: Asker;
  /** What the file has, and what was answered before; what compose sets. */
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
    const answer = value === undefined ? unanswered(question, asking) : await examine(question, value, asking);
    if (!asker.isPerson) return answer;
    if (answer.problem !== undefined) asker.show(answer.problem);
    else if (!answer.findings.some(({ level }) => level === 'unknown') || (await asker.confirm('It did not answer. Keep it all the same?')))
      return answer;
  }
}

/** A setting may be needed because of another. */
function unanswered({ variable, isOptional = false, explanation, example }: Question, { env, chains }: Asking): Answer {
  const problem = isOptional ? settingProblems(env, chains)[variable] : `is not set: ${explanation} Such as ${example}`;
  return { findings: [], ...(problem === undefined ? {} : { problem }) };
}

/** The form of an answer, then what it names. */
async function examine(question: Question, value: string, { asker, env, chains, offline }: Asking): Promise<Answer> {
  const now = { ...env, [question.variable]: value };
  const form = settingProblems(now, chains)[question.variable];
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

function invalidAnswers(invalid: Values): StopError {
  const lines = Object.entries(invalid).map(([name, problem]) => `  ${name}: ${problem}`);
  return new StopError({
    code: 'invalid_settings',
    message: `Nothing was written. Answers are missing or wrong:\n${lines.join('\n')}`,
    fields: invalid,
  });
}

function person(): Asker {
  if (process.stdin.isTTY) return terminalAsker();
  throw new StopError({ code: 'not_confirmed', message: 'There is no terminal to ask on: use --answers FILE, or --answers - for stdin' });
}

/** Throws `file_unreadable`. */
async function readAnswers(file: string): Promise<Values> {
  if (file === '-') return parseEnv(await readAll(process.stdin)) as Values;
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Values;
  } catch (cause) {
    const why = existsSync(file) ? messageOf(cause) : 'it does not exist';
    throw new StopError({ code: 'file_unreadable', message: `${file} cannot be read: ${why}`, cause });
  }
}

/** What a file did not have before, a line for each variable with its value, except of secrets; undefined where that is nothing. */
function addedSettings(
  file: string,
  { before, written, groups }: { before: Environment; written: Readonly<Record<string, string>>; groups: readonly QuestionGroup[] },
): string | undefined {
  const questions = groups.flatMap((group) => group.questions);
  const secret = new Set([databasePassword, ...questions.filter(({ isSecret }) => isSecret).map(({ variable }) => variable)]);
  const added = Object.entries(written).filter(([name]) => !before[name]);
  if (added.length === 0) return undefined;
  return [`Added to ${file}:`, ...added.map(([name, value]) => (secret.has(name) ? `  ${name} (a secret)` : `  ${name}=${value}`))].join(
    '\n',
  );
}

/** What is wrong by variable, as the processes would say it at their start. */
function settingProblems(env: Readonly<Record<string, string>>, chains: readonly Chain[]): Record<string, string> {
  const variable = settingVariable('environment');
  if (env[variable] !== 'production') return { [variable]: `is ${env[variable]}: write the settings of production into another file` };
  // A network without a token is read as well: a list without an entry.
  const open = Object.fromEntries(chains.map((chain) => networkVariable(chain, 'tokens')).map((name) => [name, env[name] || ',']));
  try {
    loadServiceSettings({ api: true, console: true, common: true, workerChains: chains }, { ...env, ...open });
    return {};
  } catch (error) {
    if (error instanceof StopError && error.fields !== undefined) return { ...error.fields };
    throw error;
  }
}
