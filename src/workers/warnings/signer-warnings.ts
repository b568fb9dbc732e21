import type { Registry } from 'prom-client';
import { isAddress } from 'viem';
import { probeBalance } from '../../chain/probes/signer.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import { type MintLimits, readMintLimits } from '../../chain/token/mint-limits.ts';
import { openIssues } from '../../ledger/lanes/open-issues.ts';
import { recordSignerAmounts, type SignerResource } from '../../ledger/lanes/signer-amounts.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type LowerAddress, lowerAddress } from '../../platform/addresses.ts';
import type { Log } from '../../platform/log.ts';
import { type Loop, startLoop } from '../../platform/loop.ts';
import { type Currency, minorUnits, tokenUnits } from '../../platform/money.ts';
import type { NetworkSettings, Settings } from '../../platform/settings.ts';
import { gasWarning, mintWarnings } from '../../problems/mint-warnings.ts';
import type { Alarm, Alarms } from '../alarms.ts';
import type { LaneFacts } from '../lanes/lane.ts';
import { registeredGauge } from '../../platform/metrics/registered.ts';

/** What the warnings of a network's signers are read from. */
export interface SignerWarningDeps {
  settings: Pick<Settings, 'warnAt'>;
  network: NetworkSettings;
  registry: Registry;
  ledger: Ledger;
  rpc: Rpc;
  log: Log;
  alarms: Alarms;
  lanes: () => LaneFacts[];
  intervalMs?: number;
}

/** Between two looks: each costs some calls for each signer and currency, and what they warn of is days away. */
const defaultIntervalMs = 300_000;

/** While no lane has reached its signer yet, as in the first moments. */
const waitingMs = 5_000;

interface Reading {
  signer: LowerAddress;
  held: boolean;
  balance: bigint;
  limits: Map<Currency, MintLimits>;
  usedPerDay: Map<SignerResource, bigint>;
}

/**
 * Warns of mint allowances, daily mint limits and gas money that end soon, by what was used in the last days. The worker that holds a lane records what
 * its signer has left; a hot spare knows what is left of it.
 */
export function startSignerWarnings(deps: SignerWarningDeps): Loop {
  const { registry, network, alarms, log, lanes, intervalMs = defaultIntervalMs } = deps;
  const { chain } = network;
  const allowance = registeredGauge(registry, 'mintrail_signer_mint_allowance');
  let raised: Pick<Alarm, 'kind' | 'subject'>[] = [];
  const turn = async () => {
    const known = lanes().filter(({ signer }) => isAddress(signer));
    if (known.length === 0) return waitingMs;
    const readings: Reading[] = [];
    for (const lane of known) readings.push(await readSigner(deps, lane));
    for (const { signer, limits } of readings)
      for (const [currency, limit] of limits) allowance.set({ chain, signer, currency }, Number(limit.allowance) / 1e18);
    const warnings = [...(await warnOfLimits(deps, readings)), ...(await warnOfGas(deps, readings))];
    for (const old of raised)
      if (!warnings.some(({ kind, subject }) => kind === old.kind && subject === old.subject)) alarms.clear(old.kind, old.subject);
    for (const { kind, subject, text } of warnings) alarms.raise(kind, subject, text);
    raised = warnings;
    return intervalMs;
  };
  // An outage of the chain is an alarm already.
  const quietTurn = () => turn().catch((error: unknown) => log.debug({ err: error }, 'the signers cannot be looked at'));
  return startLoop({ name: 'signer warnings', intervalMs, log, turn: async () => (await quietTurn()) ?? waitingMs });
}

async function readSigner({ ledger, rpc, network }: SignerWarningDeps, lane: LaneFacts): Promise<Reading> {
  const signer = lowerAddress(lane.signer);
  const balance = await rpc.getBalance({ address: signer });
  const limits = new Map<Currency, MintLimits>();
  for (const [currency, token] of Object.entries(network.tokens) as [Currency, LowerAddress][])
    limits.set(currency, await readMintLimits(rpc, token, signer));
  const reading = { signer, held: lane.held, balance, limits };
  if (!lane.held) return { ...reading, usedPerDay: new Map() };
  const left = [...limits].map(([currency, { allowance }]) => ({ resource: currency, amount: allowance as bigint }));
  const used = await recordSignerAmounts(ledger, { chain: network.chain, signer }, [{ resource: 'gas', amount: balance }, ...left]);
  return { ...reading, usedPerDay: new Map(used.map(({ resource, perDay }) => [resource, perDay])) };
}

async function warnOfLimits({ ledger, network, settings }: SignerWarningDeps, readings: readonly Reading[]) {
  const { chain } = network;
  const waiting = await openIssues(ledger, chain);
  return (Object.keys(network.tokens) as Currency[]).flatMap((currency) => {
    const operators = readings.flatMap(({ signer, limits, usedPerDay }) => {
      const limit = limits.get(currency);
      const perDay = usedPerDay.get(currency);
      return limit === undefined ? [] : [{ address: signer, ...limit, usedPerDay: perDay === undefined ? undefined : tokenUnits(perDay) }];
    });
    const facts = { chain, currency, operators, waiting: waiting.get(currency) ?? minorUnits(0n) };
    return mintWarnings(facts, settings.warnAt).map(({ kind, subject, detail, remedy }) => ({
      kind,
      subject,
      text: `${detail}: ${remedy}`,
    }));
  });
}

async function warnOfGas({ rpc, network, settings }: SignerWarningDeps, readings: readonly Reading[]) {
  const { chain } = network;
  const warnings: { kind: 'gas_money_low'; subject: string; text: string }[] = [];
  for (const { signer, held, balance, usedPerDay } of readings) {
    if (!held || settings.warnAt.gasDays === 0) continue;
    const text = gasWarning({ chain, signer, balance, usedPerDay: usedPerDay.get('gas') ?? 0n }, settings.warnAt);
    // Whatever was used lately: some dozen full transactions are what an hour may need.
    const probe = await probeBalance(rpc, chain, signer, signer);
    const probed = probe.level === 'warning' ? `${signer} holds ${probe.detail}: ${probe.remedy ?? ''}` : undefined;
    if (text !== undefined || probed !== undefined) warnings.push({ kind: 'gas_money_low', subject: signer, text: text ?? probed ?? '' });
  }
  return warnings;
}
