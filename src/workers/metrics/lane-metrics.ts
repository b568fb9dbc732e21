import type { Registry } from 'prom-client';
import { isAddress } from 'viem';
import { probeBalance } from '../../chain/probes/signer.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import { openTransactionCounts } from '../../ledger/lanes/unmined-transactions.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import type { Alarm, Alarms } from '../alarms.ts';
import type { LaneFacts } from '../lanes/lane.ts';
import type { TrackerDeps } from '../lanes/tracker.ts';
import type { SettlerDeps } from '../settler.ts';
import { registeredCounter, registeredGauge } from '../../platform/metrics/registered.ts';

/** Ends the subjects of alarms that are raised because of a balance alone. */
const balanceSubject = 'balance';

/** What the metrics of a network's lanes are read from. */
export interface LaneMetricsDeps {
  registry: Registry;
  ledger: Ledger;
  rpc: Rpc;
  chain: Chain;
  log: Log;
  alarms: Alarms;
  lanes: () => LaneFacts[];
}

/** Between two readings of the ledger. */
const intervalMs = 5_000;

/** Between two readings of the balances: each costs a call, and nobody acts on it within a minute. */
const balanceIntervalMs = 60_000;

/**
 * Serves the open transactions of a network's lanes, the highest fee that they offer, and, once a minute, what the signers hold. Raises the alarm
 * `gas_money` for a signer that cannot pay for one full transaction, before anything waits for it.
 */
export function startLaneMetrics({ registry, ledger, rpc, chain, log, alarms, lanes }: LaneMetricsDeps): Loop {
  const transactions = registeredGauge(registry, 'mintrail_open_transactions');
  const fee = registeredGauge(registry, 'mintrail_offered_fee_wei');
  const balance = registeredGauge(registry, 'mintrail_signer_balance_wei');
  let balancesReadAt = -balanceIntervalMs;

  const gasAlarms = () => alarms.list().filter(({ kind }) => kind === 'gas_money');
  const isNamedByLane = (signer: string) => gasAlarms().some((alarm) => !isOfBalance(alarm) && alarm.subject.startsWith(`${signer} `));
  const readBalances = async () => {
    for (const { signer, held } of lanes()) {
      // A signer that was not reached yet is named by its reference, without an address.
      if (!isAddress(signer)) continue;
      balance.set({ chain, signer }, Number(await rpc.getBalance({ address: signer })));
      const { level, detail, remedy } = await probeBalance(rpc, chain, signer, signer);
      const subject = `${signer} ${balanceSubject}`;
      // A hot spare leaves it to the worker that holds the lane, and a lane that has something to send knows better what it needs.
      if (!held || level === 'ok' || level === 'warning' || isNamedByLane(signer)) alarms.clear('gas_money', subject);
      else if (level === 'failure') alarms.raise('gas_money', subject, `${signer} holds ${detail}: ${remedy ?? ''}`);
    }
  };
  const turn = async () => {
    const open = await openTransactionCounts(ledger, chain);
    transactions.set({ chain, state: 'sent' }, open.sent);
    transactions.set({ chain, state: 'mined' }, open.mined);
    fee.set({ chain }, Number(open.maxFeePerGas));
    // While an alarm is raised the balances are read each time, so that it ends soon after the money has come.
    if (performance.now() < balancesReadAt + balanceIntervalMs && !gasAlarms().some(isOfBalance)) return;
    balancesReadAt = performance.now();
    // An outage of the chain is an alarm already.
    await readBalances().catch(() => {});
  };
  return startLoop({ name: 'lane metrics', intervalMs, log, turn });
}

function isOfBalance({ subject }: Alarm): boolean {
  return subject.endsWith(` ${balanceSubject}`);
}

/** Counts the reverts and the gas of a network's lanes: the returned function takes each receipt. */
export function countReceipts(registry: Registry, chain: Chain): NonNullable<TrackerDeps['onReceipt']> {
  const reverts = registeredCounter(registry, 'mintrail_reverts_total');
  const gas = registeredCounter(registry, 'mintrail_gas_used_total');
  reverts.inc({ chain }, 0);
  gas.inc({ chain }, 0);
  return ({ status, gasUsed }) => {
    if (status === 'reverted') reverts.inc({ chain });
    gas.inc({ chain }, Number(gasUsed));
  };
}

/** Counts the looks of a network's settler that met a disagreement: the returned function takes each. */
export function countDisagreements(registry: Registry, chain: Chain): NonNullable<SettlerDeps['onDisagreement']> {
  const disagreements = registeredCounter(registry, 'mintrail_settling_disagreements_total');
  for (const between of ['endpoints', 'index'] as const) disagreements.inc({ chain, between }, 0);
  return (between) => disagreements.inc({ chain, between });
}
