import type { Ledger } from '../../ledger/ledger.ts';
import type { ClaimedLeg } from '../../ledger/lanes/legs.ts';
import { countHeldLegs, holdLegs, type ProfileGas, readProfileGas, releaseHeldLegs } from '../../ledger/lanes/profile-gas.ts';
import type { Log } from '../../platform/log.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
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
  /** Releases the legs whose day has come. Raises the alarm `gas_budget` while others are held, and ends it. */
  release(): Promise<void>;
}

/** Creates the gas budget of a lane's network. */
export function createGasBudget({ ledger, signer, network, log, alarms, now = Date.now }: GasBudgetDeps): GasBudget {
  const { chain, gasBudget } = network;
  const subject = `${chain} ${signer.address}`;
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
      log.warn(
        { profiles: [...new Set(held.map(({ profile }) => profile))], legs: held.length },
        'gas budget used up: held until midnight UTC',
      );
      await raiseAlarm();
      return admitted;
    },
    async release() {
      await releaseHeldLegs(ledger, chain, new Date(now()));
      await raiseAlarm();
    },
  };

  async function raiseAlarm(): Promise<void> {
    const { legs, profiles } = await countHeldLegs(ledger, chain);
    if (legs === 0) return alarms.clear('gas_budget', subject);
    const text = `${legs} redemptions of ${profiles} profiles wait for midnight UTC, because the profiles have used up their gas budget of ${gasBudget} for today`;
    alarms.raise('gas_budget', subject, text);
  }
}
