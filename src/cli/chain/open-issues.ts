import type { Address } from 'viem';
import { runCheck, type Finding, failure, ok, warning } from '../../chain/probes/finding.ts';
import type { OpenSigner } from '../../chain/probes/network.ts';
import { createRpc } from '../../chain/endpoints/rpc.ts';
import { readMintLimits } from '../../chain/token/mint-limits.ts';
import { openIssues } from '../../ledger/lanes/open-issues.ts';
import { messageOf } from '../../platform/errors.ts';
import { type Currency, formatAmount, type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import { exceededLimits, type Operator } from '../../problems/mint-warnings.ts';
import { withLedger } from '../with-ledger.ts';

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
