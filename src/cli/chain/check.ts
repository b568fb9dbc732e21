import type { Address } from 'viem';
import { createRpc } from '../../chain/endpoints/rpc.ts';
import { type OpenSigner, probeNetwork } from '../../chain/probes/network.ts';
import { failure, type Finding, type Level, ok, runCheck, warning } from '../../chain/probes/finding.ts';
import { findSharedKeys } from '../../chain/probes/shared-keys.ts';
import { createSigner, signerReferences } from '../../chain/signers/create-signer.ts';
import { readMintLimits } from '../../chain/token/mint-limits.ts';
import { openIssues } from '../../ledger/lanes/open-issues.ts';
import { type Chain, chains } from '../../platform/chains.ts';
import { messageOf, StopError } from '../../platform/errors.ts';
import { type Currency, formatAmount, type MinorUnits, minorUnits } from '../../platform/money.ts';
import { type NetworkSettings, type Settings, networkVariable, settingVariable } from '../../platform/settings.ts';
import { exceededLimits, type Operator } from '../../problems/mint-warnings.ts';
import { cliNetworks } from '../cli-settings.ts';
import { exitCodes } from '../render-error.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail chain check`. Throws `invalid_settings`. */
export async function checkChains(only: Chain | undefined, json: boolean): Promise<void> {
  const { networks, environment, variables } = cliNetworks();
  const selected = only ? [only] : chains.filter((chain) => networks[chain]);
  const signers = signersOf(networks, environment);
  const checked: { chain: Chain; findings: Finding[] }[] = [];
  for (const chain of selected) {
    const network = networks[chain];
    if (!network) continue;
    const open = variables[settingVariable('databaseUrl')] ? await checkOpenIssues(network, signers[chain] ?? []) : [];
    checked.push({ chain, findings: [...(await checkNetwork(network, signers)), ...open] });
  }
  if (checked.length === 0)
    throw new StopError({
      code: 'invalid_settings',
      message: only
        ? `The network ${only} is not configured: set ${networkVariable(only, 'tokens')}, or add it with mintrail chain add`
        : 'No network is configured: mintrail chain list lists all, mintrail chain add adds one',
    });
  print(json ? renderJson(checked) : checked.map(({ chain, findings }) => renderFindings(chain, findings)).join('\n\n'));
  process.exitCode = exitCodeOf(checked.flatMap(({ findings }) => findings));
}

/** What opens the signers of each network. */
export type NetworkSigners = Partial<Record<Chain, readonly OpenSigner[]>>;

/** What opens the signers of networks, each at most once: a keystore takes a second, and a signer is looked at by several checks. */
export function signersOf(networks: Settings['networks'], environment: Settings['environment']): NetworkSigners {
  return Object.fromEntries(Object.values(networks).map((network) => [network.chain, openersOf(network, environment)]));
}

/** Checks a network and its signers, and that they are signers of no other network. Never throws. */
export async function checkNetwork(network: NetworkSettings, signers: NetworkSigners): Promise<Finding[]> {
  const findings = await probeNetwork(network, signers[network.chain] ?? []);
  return [...findings, ...(await findSharedKeys(network.chain, signers))];
}

function openersOf(network: NetworkSettings, environment: Settings['environment']): OpenSigner[] {
  if (network.signers.length === 0) return [];
  const options = {
    environment,
    keystorePassword: network.keystorePassword,
    passwordVariable: networkVariable(network.chain, 'keystorePassword'),
  };
  try {
    return signerReferences(network).map((reference) => once(() => createSigner(reference, options)));
  } catch (error) {
    return [() => Promise.reject(error)];
  }
}

function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => (opened ??= open());
}

/** The exit code of a check: a failure counts before an outage, which may hide none. */
export function exitCodeOf(findings: readonly Finding[]): number {
  if (findings.some(({ level }) => level === 'failure')) return exitCodes.failed;
  return findings.some(({ level }) => level === 'unknown') ? exitCodes.retry : exitCodes.ok;
}

/** The levels of findings as people read them. */
export const levelWords: Record<Level, string> = { ok: 'ok', warning: 'warning', failure: 'FAILURE', unknown: 'no answer' };

/** The findings of a network for people, each with its remedy. */
export function renderFindings(chain: Chain, findings: readonly Finding[]): string {
  const lines: string[] = [];
  for (const subject of new Set(findings.map((finding) => finding.subject))) {
    lines.push(`${chain} ${subject}`);
    for (const { check, level, detail, remedy } of findings.filter((finding) => finding.subject === subject)) {
      lines.push(`  ${levelWords[level].padEnd(11)}  ${check.padEnd(21)}  ${detail}`);
      if (remedy) lines.push(`${' '.repeat(38)}→ ${remedy}`);
    }
  }
  const counts = (['failure', 'unknown', 'warning'] as const)
    .map((level) => [findings.filter((finding) => finding.level === level).length, levelWords[level].toLowerCase()] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${word}: ${count}`);
  lines.push('', `${chain}: ${counts.length === 0 ? 'all is well' : counts.join(', ')}`);
  return lines.join('\n');
}

/** Checks that the network's signers may issue what waits to be issued. It needs the ledger, and says so where that cannot be read. Never throws. */
export async function checkOpenIssues(network: NetworkSettings, signers: readonly OpenSigner[]): Promise<Finding[]> {
  let waiting: Map<Currency, MinorUnits>;
  try {
    waiting = await withLedger((ledger) => openIssues(ledger, network.chain));
  } catch (error) {
    const detail = `what waits to be issued is not known: ${messageOf(error).replaceAll(/\s+/g, ' ')}`;
    return [{ subject: 'ledger', check: 'open issues', ...warning(detail, 'check DATABASE_URL, or look at `mintrail status`') }];
  }
  const tokens = Object.entries(network.tokens) as [Currency, Address][];
  return Promise.all(
    tokens.map(([currency, token]) =>
      runCheck(`token ${currency} ${token}`, 'open issues', async () => {
        const amount = waiting.get(currency) ?? minorUnits(0n);
        if (amount === 0n) return ok('nothing waits to be issued');
        const operators = await readOperators(network, signers, token);
        const [exceeded] = exceededLimits({ chain: network.chain, currency, operators, waiting: amount });
        const text = `${formatAmount(amount)} ${currency.toUpperCase()} wait to be issued`;
        if (exceeded === undefined) return ok(text);
        return (exceeded.kind === 'allowance_low' ? failure : warning)(exceeded.detail, exceeded.remedy);
      }),
    ),
  );
}

/** What the signers may issue. One that does not answer has a finding of its own. */
async function readOperators(network: NetworkSettings, signers: readonly OpenSigner[], token: Address): Promise<Operator[]> {
  const rpc = createRpc(network);
  const operators: Operator[] = [];
  for (const open of signers) {
    const signer = await open().catch(() => undefined);
    if (signer !== undefined) operators.push({ address: signer.address, ...(await readMintLimits(rpc, token, signer.address)) });
  }
  return operators;
}
