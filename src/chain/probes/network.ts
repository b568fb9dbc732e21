import type { Address } from 'viem';
import { RetryError } from '../../platform/errors.ts';
import type { Currency } from '../../platform/money.ts';
import { type NetworkSettings, networkVariable } from '../../platform/settings.ts';
import { createRpc, type Rpc } from '../endpoints/rpc.ts';
import type { Signer } from '../signers/signer.ts';
import { compareEndpoints } from './compare-endpoints.ts';
import { type Endpoint, probeEndpoint } from './endpoint.ts';
import { probeFees } from './fees.ts';
import { type Finding, ok, runCheck } from './finding.ts';
import { probeBalance, probeRoles } from './signer.ts';
import { probeToken } from './token.ts';

/** Opens a signer. It may have to connect to a service. */
export type OpenSigner = () => Promise<Signer>;

/** Checks everything a network needs: its endpoints, its fees, its tokens, its signers. Never throws. */
export async function probeNetwork(network: NetworkSettings, signers: readonly OpenSigner[]): Promise<Finding[]> {
  const { chain, rpcUrls, blockTimeSeconds } = network;
  const probed = await Promise.all(rpcUrls.map((url, index) => probeEndpoint(network, url, index + 1)));
  const findings = probed.flatMap(({ findings }) => findings);
  if (rpcUrls.length === 0)
    findings.push({
      subject: 'rpc',
      check: 'reachable',
      level: 'failure',
      detail: 'no endpoint is set',
      remedy: `set ${networkVariable(chain, 'rpcUrls')}`,
    });
  const endpoints = probed.flatMap(({ endpoint }) => endpoint ?? []);
  findings.push(...(await compareEndpoints(endpoints, blockTimeSeconds)));
  const rpc = rpcOf(network, probed);
  if (rpc) findings.push(await probeFees(rpc, network));
  const tokens = Object.entries(network.tokens) as [Currency, Address][];
  const sound: typeof tokens = [];
  for (const [currency, token] of tokens) {
    const tokenFindings = rpc
      ? await probeToken(rpc, { chain: network.chain, currency, address: token })
      : [await unreachable(`token ${currency} ${token}`)];
    findings.push(...tokenFindings);
    if (tokenFindings.every(({ level }) => level === 'ok' || level === 'warning')) sound.push([currency, token]);
  }
  findings.push(...(await probeSigners(rpc, network, signers, sound)));
  return findings;
}

async function probeSigners(
  rpc: Rpc | undefined,
  { chain }: NetworkSettings,
  signers: readonly OpenSigner[],
  tokens: readonly [Currency, Address][],
): Promise<Finding[]> {
  const variable = networkVariable(chain, 'signers');
  if (signers.length === 0) {
    const finding = { subject: 'signers', check: 'key', level: 'warning', detail: 'no signer is set here' } as const;
    return [{ ...finding, remedy: `only the worker needs ${variable}: run this check where it is set` }];
  }
  const findings: Finding[] = [];
  for (const [index, open] of signers.entries()) {
    let address: Address | undefined;
    const key = await runCheck(`signer ${index + 1}`, 'key', async () => {
      const signer = await open();
      address = signer.address;
      return ok(`${signer.address}, ${signer.kind}`);
    });
    findings.push(key);
    if (address === undefined) continue;
    const subject = `signer ${address}`;
    if (!rpc) findings.push(await unreachable(subject));
    else {
      findings.push(await probeBalance(rpc, chain, subject, address));
      for (const [currency, token] of tokens)
        findings.push(...(await probeRoles(rpc, subject, address, { chain, currency, address: token })));
    }
  }
  return findings;
}

/** A client over the endpoints that serve the right chain; undefined when there is none. */
function rpcOf(network: NetworkSettings, probed: readonly { endpoint?: Endpoint }[]): Rpc | undefined {
  const urls = network.rpcUrls.filter((_, index) => probed[index]?.endpoint);
  return urls.length > 0 ? createRpc({ ...network, rpcUrls: urls }) : undefined;
}

function unreachable(subject: string): Promise<Finding> {
  return runCheck(subject, 'reachable', () => {
    throw new RetryError({ code: 'rpc_unreachable', message: 'no endpoint of this chain answers' });
  });
}
