import path from 'node:path';
import { findDeploymentBlock } from '../../chain/probes/deployment-block.ts';
import type { Finding } from '../../chain/probes/finding.ts';
import { runCheck, ok, warning } from '../../chain/probes/finding.ts';
import { gasMoneyCheck } from '../../chain/probes/signer.ts';
import { createRpc } from '../../chain/endpoints/rpc.ts';
import { type Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import {
  type Environment,
  loadNetworks,
  loadSomeSettings,
  networkSettings,
  type NetworkSettings,
  networkVariable,
} from '../../platform/settings.ts';
import { checkNetwork, exitCodeOf, renderFindings, signersOf } from './check.ts';
import { readEnvFile, writeEnvFile } from '../env-file.ts';
import { exitCodes } from '../render-error.ts';
import { type Argument, readRpcArgument, readSignerArgument } from '../secret-argument.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';

/** Names the networks whose services docker-compose.yml starts. */
const profilesVariable = 'COMPOSE_PROFILES';

type Lines = Record<string, Argument>;

/** Options of `mintrail chain add`. */
export interface AddOptions {
  rpc: string[];
  token: string[];
  signer: string[];
  passwordFile?: string;
  startBlock?: string;
  write?: string;
  force?: boolean;
  json?: boolean;
}

/** `mintrail chain add`. Settings without an option keep their value of the file or the environment. Throws `bad_input` and `invalid_settings`. */
export async function addChain(chain: Chain, options: AddOptions): Promise<void> {
  const { write: envFile, force = false, json = false } = options;
  const known = { ...process.env, ...(envFile === undefined ? {} : readEnvFile(envFile)) };
  const startVariable = networkVariable(chain, 'startBlock');
  const lines = linesOf(chain, options, known);
  const merged = { ...known, ...values(lines) };
  const networks = loadNetworks(merged);
  const network = networkSettings({ networks }, chain);
  const { environment } = loadSomeSettings(['environment'], merged);
  const findings = await checkNetwork(network, signersOf(networks, environment));
  if (known[startVariable] === undefined && options.startBlock === undefined) {
    const { finding, block } = await searchStart(network);
    findings.push(finding);
    if (block !== undefined) lines[startVariable] = shown(String(block));
  }
  // Settings are none the worse for a signer without gas money: `chain check` and its worker ask for it again.
  const exitCode = exitCodeOf(findings.filter(({ check }) => check !== gasMoneyCheck));
  const isAccepted = exitCode === exitCodes.ok || force;
  if (isAccepted && envFile !== undefined) {
    const profiles = withProfile(known[profilesVariable], chain);
    if (profiles !== readEnvFile(envFile)[profilesVariable]) lines[profilesVariable] = shown(profiles);
    writeEnvFile(envFile, values(lines));
  }
  const settings = Object.entries(lines).map(([name, line]) => `${name}=${quoted(line)}`);
  if (json) print(renderJson({ chain, findings, taken: isAccepted, settings: isAccepted ? settings : [] }));
  else print([renderFindings(chain, findings), '', ...conclusion(isAccepted, envFile, lines, settings)].join('\n'));
  if (!isAccepted) process.exitCode = exitCode;
}

function linesOf(chain: Chain, { rpc, token, signer, passwordFile, startBlock }: AddOptions, known: Environment): Lines {
  const name = (setting: Parameters<typeof networkVariable>[1]) => networkVariable(chain, setting);
  const lines: Lines = {};
  const tokens = new Map((known[name('tokens')] ?? '').split(',').filter(Boolean).map(entryOf));
  for (const entry of token) tokens.set(...entryOf(entry));
  if (tokens.size === 0)
    throw new StopError({ code: 'bad_input', message: 'Name a token with --token eur:0x…, or deploy one with mintrail token deploy' });
  lines[name('tokens')] = shown([...tokens].map((entry) => entry.join(':')).join(','));
  if (rpc.length > 0) lines[name('rpcUrls')] = joined(rpc.map(readRpcArgument));
  if (signer.length > 0) lines[name('signers')] = joined(signer.map(readSignerArgument));
  if (passwordFile !== undefined) lines[name('keystorePassword')] = shown(`file:${path.resolve(passwordFile)}`);
  if (startBlock !== undefined) lines[name('startBlock')] = shown(startBlock);
  return lines;
}

function withProfile(profiles: string | undefined, chain: Chain): string {
  return [...new Set([...(profiles ?? '').split(',').filter(Boolean), chain])].join(',');
}

function entryOf(text: string): [string, string] {
  const [currency = '', ...address] = text.trim().split(':');
  return [currency, address.join(':')];
}

/** The oldest block in which one of the tokens was deployed. */
async function searchStart(network: NetworkSettings): Promise<{ finding: Finding; block?: bigint }> {
  let block: bigint | undefined;
  const variable = networkVariable(network.chain, 'startBlock');
  const finding = await runCheck('tokens', 'start block', async () => {
    const rpc = createRpc(network);
    const addresses = Object.values(network.tokens);
    const blocks = await Promise.all(addresses.map((address) => findDeploymentBlock(rpc, address)));
    const known = blocks.filter((number) => number !== undefined);
    if (known.length < blocks.length || known.length === 0)
      return warning('the block of the deployment cannot be found', `set ${variable}, or the whole chain is indexed`);
    block = known.reduce((lowest, number) => (number < lowest ? number : lowest));
    return ok(`deployed in block ${block}`);
  });
  return block === undefined ? { finding } : { finding, block };
}

function conclusion(isAccepted: boolean, envFile: string | undefined, lines: Lines, settings: string[]): string[] {
  if (!isAccepted) return ['Nothing was set, because a check failed; --force sets it anyway.'];
  if (envFile !== undefined) return [`${envFile} now has ${Object.keys(lines).join(', ')}.`];
  return ['Set:', '', ...settings];
}

function shown(value: string): Argument {
  return { value, shown: value };
}

function joined(all: readonly Argument[]): Argument {
  return { value: all.map(({ value }) => value).join(','), shown: all.map(({ shown: text }) => text).join(',') };
}

/** Quoted so that a shell replaces the expression for a secret, and nothing else. */
function quoted(line: Argument): string {
  return line.shown === line.value ? line.value : `"${line.shown}"`;
}

function values(lines: Lines): Record<string, string> {
  return Object.fromEntries(Object.entries(lines).map(([name, { value }]) => [name, value]));
}
