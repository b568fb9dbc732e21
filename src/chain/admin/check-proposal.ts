import { getAddress, isAddressEqual } from 'viem';
import { chainFacts } from '../../platform/chains.ts';
import { tokenSymbol } from '../../platform/money.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import { type CheckResult, failure, type Finding, ok, runCheck, warning } from '../probes/finding.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import type { SafeAccount } from '../safe-account.ts';
import { requireAuthority, requireSameSafe } from './execute-proposal.ts';
import { readImplementationCode } from './implementation-code.ts';
import { callOf, type Proposal } from './proposal.ts';
import { simulateCall } from './simulate-call.ts';

/** A proposal as it compares with the settings and the chain. */
export interface CheckedProposal {
  findings: Finding[];
  /** Undefined where it could not be read. */
  safe: SafeAccount | undefined;
}

/**
 * Compares a proposal with the settings and the chain, for whoever is to sign it: each check by itself, so that an outage of one is seen as what it is.
 * Never throws.
 */
export async function checkProposal(rpc: Rpc, network: NetworkSettings, proposal: Proposal): Promise<CheckedProposal> {
  const { transaction } = proposal;
  let safe: SafeAccount | undefined;
  const check = (name: string, work: () => Promise<CheckResult>) => runCheck(transaction.safe, name, work);
  const [target, chainId, hash, simulation, code] = await Promise.all([
    check('target', () => checkTarget(rpc, network, proposal)),
    check('chain id', () => checkChainId(rpc, network, proposal)),
    check('hash', async () => {
      safe = await requireSameSafe(rpc, proposal);
      return ok('the Safe computes the same hash of this transaction');
    }),
    check('simulation', async () => {
      await simulateCall(rpc, { from: transaction.safe, to: transaction.to, data: transaction.data }, proposal.token);
      return ok('the call succeeds at the newest block');
    }),
    check('code', () => checkCode(rpc, proposal)),
  ]);
  const nonce = await check('nonce', () => Promise.resolve(checkNonce(safe, transaction.nonce)));
  const isUpgrade = callOf(proposal).change.kind === 'upgrade';
  return { findings: [target, chainId, hash, nonce, simulation, ...(isUpgrade ? [code] : [])], safe };
}

async function checkTarget(rpc: Rpc, network: NetworkSettings, proposal: Proposal): Promise<CheckResult> {
  const { token } = proposal;
  const configured = network.tokens[token.currency];
  const name = `${tokenSymbol(token.currency)} of ${chainFacts(token.chain).name}`;
  if (!configured || !isAddressEqual(configured, token.address))
    return failure(
      `${getAddress(token.address)} is not the configured ${name}${configured ? `, which is ${getAddress(configured)}` : ''}`,
      'do not sign it',
    );
  const { timelock } = callOf(proposal);
  if (!timelock) return ok(`the configured ${name}, ${getAddress(token.address)}`);
  await requireAuthority(rpc, proposal);
  return ok(`the timelock ${timelock.address}, which may change the configured ${name}, ${getAddress(token.address)}`);
}

async function checkChainId(rpc: Rpc, { chain }: NetworkSettings, { transaction }: Proposal): Promise<CheckResult> {
  const { id, name } = chainFacts(chain);
  const served = await rpc.getChainId();
  if (transaction.chainId === id && served === id) return ok(`${id}, which is ${name}`);
  return failure(`signed for ${transaction.chainId}, and the endpoint serves ${served}; ${name} is ${id}`, 'do not sign it');
}

function checkNonce(safe: SafeAccount | undefined, nonce: number): CheckResult {
  if (!safe) return { level: 'unknown', detail: 'the Safe could not be read', remedy: 'try again' };
  if (safe.nonce === nonce) return ok(`${nonce}, the next of the Safe`);
  if (safe.nonce > nonce) return failure(`${nonce} is used: the next of the Safe is ${safe.nonce}`, 'prepare the change again');
  return warning(`${nonce}, and the next of the Safe is ${safe.nonce}`, 'others must be executed before it');
}

async function checkCode(rpc: Rpc, proposal: Proposal): Promise<CheckResult> {
  const code = await readImplementationCode(rpc, callOf(proposal).change);
  if (!code || code.isOfThisRelease) return ok('the code that the upgrade puts in is that of this release of Mintrail');
  return failure(
    `the code at ${code.address} is NOT that of this release; its keccak256 is ${code.hash}`,
    'sign only what you have reviewed',
  );
}
