import type { Ledger } from '../../ledger/ledger.ts';
import type { ClaimedLeg } from '../../ledger/lanes/legs.ts';
import {
  countHeldLegs,
  hasHeldLegs,
  type HeldLegs,
  holdLegs,
  mostCountedHeldLegs,
  type ProfileGas,
  readProfileGas,
  releaseHeldLegs,
} from '../../ledger/lanes/profile-gas.ts';
import type { Log } from '../../platform/log.ts';
import { networkVariable, type NetworkSettings } from '../../platform/settings.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import type { Alarms } from '../alarms.ts';
import { gasCostOf } from './batches/batch-plan.ts';

interface GasBudgetDeps {
  ledger: Ledger;
  signer: Signer;
  network: NetworkSettings;
  log: Log;
  alarms: Alarms;
  /** The time in milliseconds; by default the process's clock. */
  now?: (() => number) | undefined;
}

/** The gas that the redemptions of a profile may use on a network in a day of UTC (`…_GAS_BUDGET`). */
export interface GasBudget {
  /** Those of the claimed legs that go today. The others are held until midnight. An order goes as long as its profile has any budget left. */
  admit(legs: readonly ClaimedLeg[], signatureGas: bigint): Promise<ClaimedLeg[]>;
  /** What legs take from the budgets of their profiles, to be recorded with their transaction. */
  costs(legs: readonly ClaimedLeg[], signatureGas: bigint): { used: ProfileGas[]; at: Date } | undefined;
  /** Releases the legs whose day has come, when there are held ones (`hasHeld`). Raises the alarm `gas_budget` while others are held, and ends it. */
  release(hasHeld: boolean): Promise<void>;
}

/** While legs are held they are counted for the alarm once in this time, and not with each block and batch. */
const countIntervalMs = 60_000;

/** Profiles that the alarm names. */
const mostNamedProfiles = 3;

/** Creates the gas budget of a lane's network. */
export function createGasBudget({ ledger, signer, network, log, alarms, now = Date.now }: GasBudgetDeps): GasBudget {
  const { chain, gasBudget } = network;
  const subject = `${chain} ${signer.address}`;
  const budgetLog = createBudgetLog(log);
  /** When the held legs were counted, in milliseconds; undefined while the alarm is not raised. */
  let countedAtMs: number | undefined;
  const costs = (legs: readonly ClaimedLeg[], signatureGas: bigint) => {
    if (legs[0]?.kind !== 'redeem') return undefined;
    return { used: legs.map((leg) => ({ profile: leg.profile, gas: gasCostOf(leg, signatureGas) })), at: new Date(now()) };
  };
  return {
    costs,
    async admit(legs, signatureGas) {
      if (gasBudget === 0 || legs[0]?.kind !== 'redeem') return [...legs];
      const at = new Date(now());
      const profiles = legs.map(({ profile }) => profile);
      const used = await readProfileGas(ledger, chain, profiles, at);
      const held: ClaimedLeg[] = [];
      const admitted: ClaimedLeg[] = [];
      for (const leg of legs) {
        const before = used.get(leg.profile) ?? 0n;
        if (before >= BigInt(gasBudget)) held.push(leg);
        else {
          admitted.push(leg);
          used.set(leg.profile, before + gasCostOf(leg, signatureGas));
        }
      }
      if (held.length === 0) return admitted;
      await holdLegs(ledger, signer.address, held, at);
      budgetLog.held(held, at);
      await raiseAlarm();
      return admitted;
    },
    async release(hasHeld) {
      if (hasHeld) {
        await releaseHeldLegs(ledger, chain, new Date(now()));
        if (await hasHeldLegs(ledger, chain)) return raiseAlarm();
      }
      countedAtMs = undefined;
      alarms.clear('gas_budget', subject);
    },
  };

  async function raiseAlarm(): Promise<void> {
    const at = now();
    if (countedAtMs !== undefined && at - countedAtMs < countIntervalMs) return;
    alarms.raise('gas_budget', subject, alarmText(await countHeldLegs(ledger, chain), network));
    countedAtMs = at;
  }
}

function alarmText({ legs, profiles }: HeldLegs, { chain, gasBudget }: NetworkSettings): string {
  const isMore = legs > mostCountedHeldLegs;
  const count = isMore ? `more than ${mostCountedHeldLegs}` : `${legs}`;
  const named = `${profiles.slice(0, mostNamedProfiles).join(', ')}${profiles.length > mostNamedProfiles ? ', …' : ''}`;
  return (
    `${count} redemptions of ${isMore ? 'at least ' : ''}${profiles.length} profiles wait for midnight UTC, because the profiles have used up ` +
    `their gas budget of ${gasBudget} for today (${named}): for a customer with that many orders raise ${networkVariable(chain, 'gasBudget')} and restart the worker`
  );
}

/** Writes a line for a profile when the first of its legs is held on a day of UTC, and none for the others. */
function createBudgetLog(log: Log) {
  const written = new Set<string>();
  let day = '';
  return {
    held(legs: readonly ClaimedLeg[], at: Date): void {
      const today = at.toISOString().slice(0, 10);
      if (today !== day) written.clear();
      day = today;
      const profiles = [...new Set(legs.map(({ profile }) => profile))].filter((profile) => !written.has(profile));
      if (profiles.length === 0) return;
      for (const profile of profiles) written.add(profile);
      log.warn({ profiles }, 'gas budget used up: further redemptions of the profiles are held until midnight UTC');
    },
  };
}
