import type { Address, Hex } from 'viem';
import { readTimelockDelay, type ScheduledOperation, scheduledOperations } from '../../chain/admin/timelock.ts';
import { decodeChange, describeChange } from '../../chain/admin/token-change.ts';
import { readSafe, type SafeAccount } from '../../chain/safe-account.ts';
import { createRpc, type Rpc } from '../../chain/endpoints/rpc.ts';
import { hasCode, readIfSupported } from '../../chain/contract.ts';
import { formatTokenAmount, formatTokensAs } from '../../chain/token/amounts.ts';
import { roleName, timelockRoles, type TokenRole } from '../../chain/token/roles.ts';
import { readTokenState, roleCandidates, type TokenState } from '../../chain/token/state.ts';
import { addressUrl, type Chain } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { currencies, type TokenUnits } from '../../platform/money.ts';
import { cliNetworks } from '../cli-settings.ts';
import { translateRpcErrors } from '../../chain/node-answer.ts';
import { loadNetwork, type NetworkSettings, networkVariable } from '../../platform/settings.ts';
import { formatTime, renderJson } from '../output.ts';
import { print } from '../print.ts';

/** Options of `mintrail token show`. */
export interface ShowOptions {
  chain: Chain;
  token?: `0x${string}`;
  json?: boolean;
}

interface Shown {
  token: Address;
  state: TokenState;
  safe: SafeAccount | undefined;
  /** Calls of the token that wait in a timelock. Anybody who sees one that was not agreed upon has until `readyAt` (seconds since 1970) to act. */
  waiting: (ScheduledOperation & { timelock: Address })[];
}

/** `mintrail token show`. Throws `not_found`, `rpc_unreachable`. */
export async function show({ chain, token, json = false }: ShowOptions): Promise<void> {
  const network = cliNetworks().networks[chain] ?? loadNetwork(chain);
  const tokens = token ? [token] : Object.values(network.tokens);
  if (tokens.length === 0)
    throw new StopError({
      code: 'not_found',
      message: `${chain} has no token: set ${networkVariable(chain, 'tokens')}, or name one with --token`,
    });
  const rpc = createRpc(network);
  const shown: Shown[] = [];
  for (const address of tokens) shown.push(await translateRpcErrors(() => readToken(rpc, network, address)));
  print(
    json
      ? renderJson(shown.map(({ state, ...token }) => ({ ...token, state: tokenStateJson(state) })))
      : shown.map((token) => render(chain, token)).join('\n\n'),
  );
}

async function readToken(rpc: Rpc, { startBlock }: NetworkSettings, token: Address): Promise<Shown> {
  const state = (await hasCode(rpc, token)) ? await readIfSupported(rpc, () => readState(rpc, token, BigInt(startBlock))) : undefined;
  if (!state) throw new StopError({ code: 'not_found', message: `There is no e-money token at ${token} on this network` });
  return { token, state, safe: await readSafe(rpc, state.admin), waiting: await readWaiting(rpc, token, state, BigInt(startBlock)) };
}

/** What waits in the timelocks that hold a role of the token. */
async function readWaiting(rpc: Rpc, token: Address, { roles }: TokenState, fromBlock: bigint): Promise<Shown['waiting']> {
  const waiting: Shown['waiting'] = [];
  for (const holder of new Set(timelockRoles.flatMap((role) => roles[role] ?? []))) {
    if (!(await hasCode(rpc, holder)) || (await readTimelockDelay(rpc, holder)) === undefined) continue;
    const operations = await scheduledOperations(rpc, { timelock: holder, target: token, matches: () => true, fromBlock });
    waiting.push(...operations.map((operation) => Object.assign(operation, { timelock: holder })));
  }
  return waiting;
}

async function readState(rpc: Rpc, token: Address, from: bigint): Promise<TokenState> {
  return readTokenState(rpc, token, await roleCandidates(rpc, token, from));
}

/** The state of a token for programs. */
export function tokenStateJson({ supply, allowances, ...state }: TokenState) {
  const limits = allowances.map(({ operator, mintAllowance, dailyMintLimit, mintable }) => ({
    operator,
    mintAllowance: formatTokenAmount(mintAllowance),
    dailyMintLimit: formatTokenAmount(dailyMintLimit),
    mintable: formatTokenAmount(mintable),
  }));
  return { ...state, supply: formatTokenAmount(supply), allowances: limits };
}

function render(chain: Chain, { token, state, safe, waiting }: Shown): string {
  const { admin, pendingAdmin, allowances, roles } = state;
  const money = (units: TokenUnits) => formatTokensAs(units, state.symbol);
  return [
    `${state.symbol}  ${state.name}`,
    addressUrl(chain, token),
    `supply        ${money(state.supply)}`,
    `paused        ${state.paused ? 'YES' : 'no'}`,
    `code          ${state.implementation ?? 'not a proxy'}`,
    `admin         ${admin}${safe ? `, a Safe ${safe.version}, ${safe.threshold} of ${safe.owners.length}` : ', not a Safe'}`,
    ...(pendingAdmin
      ? [`offered to    ${pendingAdmin.account}, which may accept from ${formatSeconds(BigInt(pendingAdmin.after))} on`]
      : []),
    ...allowances.map(
      ({ operator, mintAllowance, dailyMintLimit, mintable }) =>
        `operator      ${operator}, may issue ${money(mintAllowance)} more, ${money(dailyMintLimit)} a day, ${money(mintable)} now`,
    ),
    ...Object.entries(roles)
      .filter(([role]) => role !== 'OPERATOR_ROLE' && role !== 'DEFAULT_ADMIN_ROLE')
      .map(([role, holders]) => `${roleName(role as TokenRole).padEnd(12)}  ${holders.join(', ')}`),
    ...waiting.map(
      ({ timelock, data, readyAt }) =>
        `waiting       ${describeWaiting(data, state.currency)}, in ${timelock} until ${formatSeconds(readyAt)}`,
    ),
  ].join('\n');
}

function describeWaiting(data: Hex, letters: string): string {
  const change = decodeChange(data);
  const currency = currencies.find((known) => known === letters.toLowerCase());
  return change && currency ? describeChange(change, currency) : `a call that this program cannot describe, ${data.slice(0, 10)}`;
}

/** A time in seconds since 1970, which a contract may have set to anything. */
function formatSeconds(seconds: bigint): string {
  const date = new Date(Number(seconds) * 1_000);
  return Number.isNaN(date.getTime()) ? `second ${seconds} since 1970` : formatTime(date);
}
