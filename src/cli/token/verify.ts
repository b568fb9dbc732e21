import { getAddress } from 'viem';
import { withAnsweringEndpoints } from '../../chain/admin/answering-endpoints.ts';
import { type VerifiedContract, verifyToken } from '../../chain/admin/verify-token.ts';
import { translateRpcErrors } from '../../chain/node-answer.ts';
import { createRpc } from '../../chain/endpoints/rpc.ts';
import { addressUrl, type Chain, chainFacts } from '../../platform/chains.ts';
import { type Currency, tokenSymbol } from '../../platform/money.ts';
import { withoutUrlSecrets } from '../../platform/url-secrets.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { exitCodes } from '../render-error.ts';
import { configuredToken } from './token-context.ts';

/** Options of `mintrail token verify`. */
export interface VerifyOptions {
  chain: Chain;
  currency: Currency;
  json?: boolean;
}

/** What one endpoint says of a token's code. */
interface Testimony {
  endpoint: string;
  contracts: VerifiedContract[];
}

/**
 * `mintrail token verify`: asks every endpoint that answers, because one alone could lie. The exit code is 0 only when all of them show the code of this
 * release alone. Throws `not_found`, `wrong_chain` and `rpc_unreachable`.
 */
export async function verifyCode({ chain, currency, json = false }: VerifyOptions): Promise<void> {
  const { network, token } = configuredToken(chain, currency);
  const address = getAddress(token.address);
  const testimonies = await translateRpcErrors(async () => {
    const { rpcUrls } = await withAnsweringEndpoints(network);
    const endpoints = rpcUrls.filter((url) => url.startsWith('http'));
    return Promise.all(
      endpoints.map(async (url): Promise<Testimony> => {
        const contracts = await verifyToken(createRpc({ chain, rpcUrls: [url] }), address, BigInt(network.startBlock));
        return { endpoint: withoutUrlSecrets(url), contracts };
      }),
    );
  });
  const isOfRelease = testimonies.every(({ contracts }) => contracts.every(({ verdict }) => verdict === 'the same'));
  if (json) print(renderJson({ chain, currency, token: address, isOfRelease, endpoints: testimonies }));
  else
    print(
      [`${tokenSymbol(currency)} on ${chainFacts(chain).name}`, addressUrl(chain, address), ...render(testimonies, isOfRelease)].join('\n'),
    );
  process.exitCode = isOfRelease ? exitCodes.ok : exitCodes.failed;
}

function render(testimonies: readonly Testimony[], isOfRelease: boolean): string[] {
  // Endpoints that say the same are shown once.
  const grouped = Map.groupBy(testimonies, ({ contracts }) => renderContracts(contracts).join('\n'));
  const lines = [...grouped].flatMap(([text, group]) => [
    '',
    `as ${group.map(({ endpoint }) => endpoint).join(' and ')} ${group.length === 1 ? 'says' : 'say'}:`,
    text,
  ]);
  const conclusion = isOfRelease
    ? 'All of it is the code of this release of Mintrail.'
    : grouped.size > 1
      ? 'The endpoints contradict each other: find out by a third source which one is right.'
      : 'Not all of it is the code of this release of Mintrail: it may be that of another release, or somebody else has upgraded the token.';
  return [...lines, '', conclusion];
}

function renderContracts(contracts: readonly VerifiedContract[]): string[] {
  return contracts.flatMap(({ contract, address, verdict, hash, releaseHash }) => [
    `${contract.padEnd(14)}  ${address ?? 'none: the token is no proxy'}  ${verdict === 'unknown' && address !== undefined ? 'unknown: there is no contract' : verdict}`,
    ...(hash === undefined ? [] : [`  on the chain  ${hash}`]),
    ...(releaseHash === undefined ? [] : [`  this release  ${releaseHash}`]),
  ]);
}
