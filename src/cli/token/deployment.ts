import { type Address, getAddress, isAddressEqual } from 'viem';
import { deployOnce } from '../../chain/deploy/deploy-once.ts';
import { findDeploymentBlock } from '../../chain/probes/deployment-block.ts';
import { hasCode } from '../../chain/contract.ts';
import { createRpc, type Rpc } from '../../chain/endpoints/rpc.ts';
import { readSafe, type SafeAccount } from '../../chain/safe-account.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { planToken, type TokenPlan, type TokenSetup } from '../../chain/deploy/token-plan.ts';
import { formatTokens } from '../../chain/token/amounts.ts';
import { adminRoles, timelockRoles, type TokenRole } from '../../chain/token/roles.ts';
import { readTokenState, type TokenState } from '../../chain/token/state.ts';
import { type Chain, chainFacts } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { type Currency, type MinorUnits, toTokenUnits } from '../../platform/money.ts';
import { loadNetwork, type NetworkSettings, type Environment, networkEnvironment } from '../../platform/settings.ts';
import { requireFactory } from './require-factory.ts';
import { openDeployer } from './open-signers.ts';
import { withAnsweringEndpoints } from '../../chain/admin/answering-endpoints.ts';

/** Options of `mintrail token deploy`; `adminDelay` is in seconds. */
export interface DeployOptions {
  chain: Chain;
  currency: Currency;
  admin: `0x${string}`;
  operator: `0x${string}`[];
  /** Of each operator. */
  mintAllowance: MinorUnits;
  /** Of each operator, for a day of UTC; without it the allowance alone limits a day. */
  dailyMintLimit?: MinorUnits;
  blocker: `0x${string}`[];
  /** Seconds. */
  adminDelay: number;
  /** Seconds; without it there is no timelock. */
  timelockDelay?: number;
  name?: string;
  allowAccount?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** The deployment that is about to be made, after all checks have passed. */
export interface Intention {
  setup: TokenSetup;
  plan: TokenPlan;
  /** The admin; undefined when it is not a Safe and need not be. */
  safe: SafeAccount | undefined;
  deployer: Address;
  /** What is deployed already, by an earlier run. */
  isDeployed: { implementation: boolean; timelock: boolean; token: boolean };
}

/** The outcome of a deployment; `block` is the one that holds it. */
export interface Deployed {
  token: Address;
  /** False when it was deployed before. */
  deployed: boolean;
  block: bigint | undefined;
  state: TokenState;
  /** Lines for an environment file. */
  settings: string[];
}

/**
 * Deploys a token: makes all checks, calls `confirm`, which throws to stop, and deploys what is not deployed yet. It can be interrupted at any
 * moment and run again. Throws StopError for what must be corrected first, and the errors of the chain's client.
 */
export async function deployToken(
  options: DeployOptions,
  env: Environment,
  confirm: (intention: Intention) => Promise<void>,
): Promise<Deployed> {
  const { chain, currency } = options;
  const network = loadNetwork(chain, env);
  const setup = setupOf(options);
  const signer = await openDeployer(network, env);
  requireApart(setup, signer);
  const answering = await withAnsweringEndpoints(network);
  const rpc = createRpc(answering);
  await requireFactory(rpc, answering);
  const safe = await requireSafe(rpc, options);
  const plan = planToken(setup);
  const isDeployed = {
    implementation: await hasCode(rpc, plan.implementation.address),
    timelock: plan.timelock !== undefined && (await hasCode(rpc, plan.timelock.address)),
    token: await hasCode(rpc, plan.token.address),
  };
  await confirm({ setup, plan, safe, deployer: getAddress(signer.address), isDeployed });
  await deployOnce({ rpc, chain, signer }, plan.implementation);
  if (plan.timelock) await deployOnce({ rpc, chain, signer }, plan.timelock);
  const result = await deployOnce({ rpc, chain, signer }, plan.token);
  const state = await readTokenState(rpc, plan.token.address, accountsOf(setup, plan, signer));
  const deployed = result !== 'already deployed';
  if (deployed) requireAsPlanned(state, setup, plan, signer);
  const block = deployed ? result.block : await findDeploymentBlock(rpc, plan.token.address);
  return { token: plan.token.address, deployed, block, state, settings: settingsFor(network, currency, plan.token.address, block) };
}

function setupOf({ chain, currency, admin, adminDelay, timelockDelay, operator, blocker, name, ...options }: DeployOptions): TokenSetup {
  const { mintAllowance, dailyMintLimit = mintAllowance } = options;
  if (operator.length > 0 && (mintAllowance === 0n || dailyMintLimit === 0n))
    throw new StopError({
      code: 'bad_input',
      message: 'The operators could not issue anything: set --mint-allowance, such as 1000000',
    });
  const [total, daily] = [toTokenUnits(mintAllowance), toTokenUnits(dailyMintLimit)];
  const operators = sorted(operator).map((account) => ({ account, mintAllowance: total, dailyMintLimit: daily }));
  const { signatureGas } = chainFacts(chain);
  return { currency, admin, adminDelay, timelockDelay, signatureGas, operators, blockers: sorted(blocker), name };
}

/** Sorted, so that the token's address does not depend on the order of the options. */
function sorted(accounts: readonly Address[]): Address[] {
  return [...new Set(accounts)].toSorted();
}

/** Operators must not administer, because their keys are always in use, and the deployer must hold no role. */
function requireApart({ admin, operators, blockers }: TokenSetup, { address }: Signer): void {
  const holders = [...operators.map(({ account }) => account), ...blockers];
  const wrong = isAddressEqual(admin, address)
    ? `The deployer ${address} cannot be the admin`
    : holders.some((account) => isAddressEqual(account, address))
      ? `The deployer ${address} cannot be an operator or a blocker`
      : operators.some(({ account }) => isAddressEqual(account, admin))
        ? `The admin ${admin} cannot be an operator`
        : undefined;
  if (wrong) throw new StopError({ code: 'bad_input', message: `${wrong}: name another account` });
}

async function requireSafe(rpc: Rpc, { chain, admin, allowAccount }: DeployOptions): Promise<SafeAccount | undefined> {
  const safe = await readSafe(rpc, admin);
  if (safe || allowAccount) return safe;
  throw new StopError({
    code: 'not_found',
    message: `There is no Safe at ${admin} on this network: create it with mintrail safe create --chain ${chain} --owner 0xOWNER… --threshold NUMBER, or add --allow-account if another account is to administer the token`,
  });
}

function accountsOf({ admin, operators, blockers }: TokenSetup, { timelock }: TokenPlan, { address }: Signer): Address[] {
  return [admin, ...(timelock ? [timelock.address] : []), ...operators.map(({ account }) => account), ...blockers, address];
}

/** Compares the deployed token with the plan. A difference is a bug of this program or of the node. */
function requireAsPlanned(state: TokenState, setup: TokenSetup, plan: TokenPlan, signer: Signer): void {
  const wrong = deviations(state, setup, plan, signer);
  if (wrong.length === 0) return;
  throw new StopError({
    code: 'not_possible',
    message: `The token ${plan.token.address} differs from the plan: ${wrong.join(', ')}. Do not use it, and investigate`,
  });
}

function deviations(state: TokenState, setup: TokenSetup, plan: TokenPlan, { address }: Signer): string[] {
  const holds = (role: TokenRole, account: Address) => (state.roles[role] ?? []).some((holder) => same(holder, account));
  const holderOf = (role: TokenRole) => (plan.timelock && timelockRoles.includes(role) ? plan.timelock.address : setup.admin);
  const isRight = (role: TokenRole) => holds(role, holderOf(role)) && (same(holderOf(role), setup.admin) || !holds(role, setup.admin));
  return [
    ...(same(state.implementation, plan.implementation.address) ? [] : ['its code']),
    ...(same(state.admin, setup.admin) && adminRoles.every(isRight) ? [] : ['the roles of its admin']),
    ...(state.currency === setup.currency.toUpperCase() ? [] : ['its currency']),
    ...(setup.signatureGas === undefined || state.signatureGas === BigInt(setup.signatureGas) ? [] : ['the gas of its signatures']),
    ...setup.operators
      .filter(({ account, mintAllowance, dailyMintLimit }) => {
        const limits = state.allowances.find(({ operator }) => same(operator, account));
        return !holds('OPERATOR_ROLE', account) || limits?.mintAllowance !== mintAllowance || limits.dailyMintLimit !== dailyMintLimit;
      })
      .map(({ account, mintAllowance }) => `the operator ${account} with ${formatTokens(mintAllowance, setup.currency)}`),
    ...setup.blockers.filter((account) => !holds('BLOCKER_ROLE', account)).map((account) => `the blocker ${account}`),
    ...(Object.values(state.roles).some((holders) => holders.some((holder) => same(holder, address))) ? ['a role of the deployer'] : []),
  ];
}

function settingsFor(
  { chain, tokens, startBlock }: NetworkSettings,
  currency: string,
  token: Address,
  block: bigint | undefined,
): string[] {
  const entries = Object.entries({ ...tokens, [currency]: token }).map((entry) => entry.join(':'));
  // The indexer starts at the oldest token.
  const isOldest = startBlock === 0 && Object.keys(tokens).every((known) => known === currency);
  const variables = networkEnvironment(chain, {
    tokens: entries.join(','),
    ...(isOldest && block !== undefined ? { startBlock: String(block) } : {}),
  });
  return Object.entries(variables).map(([name, value]) => `${name}=${value}`);
}

function same(a: Address | undefined, b: Address): boolean {
  return a !== undefined && isAddressEqual(a, b);
}
