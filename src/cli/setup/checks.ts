import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { lookup } from 'node:dns/promises';
import { createIbanRange } from '../../bank/iban-range.ts';
import { probeEndpoint } from '../../chain/probes/endpoint.ts';
import { type CheckResult, failure, type Finding, ok, warning } from '../../chain/probes/finding.ts';
import { probeToken } from '../../chain/probes/token.ts';
import { createRpc } from '../../chain/endpoints/rpc.ts';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { messageOf } from '../../platform/errors.ts';
import { greetMailServer } from '../../platform/mail.ts';
import type { Currency } from '../../platform/money.ts';
import { requireServerVersion } from '../../platform/postgres/server-version.ts';
import { type Environment, loadNetwork, settingVariable } from '../../platform/settings.ts';

/** SQLSTATEs by which a server that answers refuses the role, its password or the database. */
const refusals = new Set(['28000', '28P01', '3D000']);

/** Connects, and looks at the version. */
export async function checkDatabase(url: string): Promise<CheckResult> {
  try {
    await requireServerVersion(url);
  } catch (error) {
    if (!refusals.has((error as { code?: string }).code ?? '')) throw error;
    return failure(messageOf(error), 'correct the user, the password or the name of the database');
  }
  return ok('PostgreSQL answers');
}

/** Whether the name leads somewhere. It may lead to this machine later. */
export async function checkBaseUrl(url: string): Promise<CheckResult> {
  const { hostname } = new URL(url);
  const addresses = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true }).catch(() => []);
  if (addresses.length === 0) return warning(`${hostname} leads nowhere yet`, 'set its address with whoever keeps the domain');
  return ok(`${hostname} leads to ${addresses.map(({ address }) => address).join(', ')}`);
}

/** Whether the mail server greets, takes TLS and the password. No mail is sent. */
export async function checkMailServer(url: string): Promise<CheckResult> {
  await greetMailServer(url);
  return ok('the mail server greets and takes the sign-in');
}

/** Which IBANs the range has: somebody who compares them with the bank's letter sees a wrong prefix. */
export async function checkIbanRange(prefix: string, env: Environment): Promise<CheckResult> {
  const { size, compose } = createIbanRange({ bankIbanCountry: env[settingVariable('bankIbanCountry')], bankIbanPrefix: prefix });
  return ok(`${size.toLocaleString('en')} IBANs, from ${compose(1n)} to ${compose(size)}`);
}

/** Whether this user may write to the folder; on the machine of the service another may have to. */
export async function checkFolder(folder: string): Promise<CheckResult> {
  try {
    await access(folder, constants.R_OK | constants.W_OK);
    return ok('it is there and can be written');
  } catch {
    return warning('it is not there, or this user may not write to it', `make it for the user of the service: mkdir -p ${folder}`);
  }
}

/** Whether each endpoint answers, for this chain, with a head that fits the clock of this machine. */
export async function checkEndpoints(chain: Chain, env: Environment): Promise<Finding[]> {
  const network = loadNetwork(chain, env);
  const probed = await Promise.all(network.rpcUrls.map((url, index) => probeEndpoint(network, url, index + 1)));
  const findings = probed.flatMap((endpoint) => endpoint.findings);
  if (network.rpcUrls.length > 1) return findings;
  const alone = warning('there is one alone', 'add one of another provider: a single endpoint is believed whatever it says');
  return [...findings, { subject: 'endpoints', check: 'number', ...alone }];
}

/** Whether there is a token of the currency at each address. */
export async function checkTokens(chain: Chain, env: Environment): Promise<Finding[]> {
  const network = loadNetwork(chain, env);
  const rpc = createRpc(network);
  const tokens = Object.entries(network.tokens) as [Currency, LowerAddress][];
  const findings = await Promise.all(tokens.map(([currency, token]) => probeToken(rpc, { chain, currency, address: token })));
  return findings.flat();
}
