import { formatGwei } from 'viem';
import { chainFacts } from '../../platform/chains.ts';
import { type NetworkSettings, networkVariable } from '../../platform/settings.ts';
import { feeCeiling, unprovenTip } from '../fee-policy.ts';
import { readFeeMarket } from '../fees.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { failure, type Finding, ok, runCheck, warning } from './finding.ts';

/** A price may rise this many times above the present one before nothing is sent. Less than this is a warning. */
const comfortableFactor = 5n;

/** Checks that gas may cost what it costs now, and clearly more. Never throws. */
export function probeFees(rpc: Rpc, network: NetworkSettings): Promise<Finding> {
  const { chain, feeCeilingGwei, transactionFeeCeiling } = network;
  return runCheck('fees', 'ceiling', async () => {
    const { baseFeePerGas, tipPerGas } = await readFeeMarket(rpc, unprovenTip(network));
    const price = baseFeePerGas + tipPerGas;
    const ceiling = feeCeiling(network, 1n);
    const { symbol } = chainFacts(chain).currency;
    const limits = `the ceiling is ${feeCeilingGwei} gwei, and ${transactionFeeCeiling} ${symbol} for a transaction`;
    const text = `a gas costs ${formatGwei(price)} gwei now; ${limits}`;
    const remedy = `raise ${networkVariable(chain, 'feeCeilingGwei')}`;
    if (baseFeePerGas > ceiling) return failure(`${text}: nothing is sent`, `${remedy}, or wait until the price falls`);
    return price * comfortableFactor > ceiling ? warning(text, remedy) : ok(text);
  });
}
