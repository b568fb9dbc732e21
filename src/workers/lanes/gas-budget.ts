import { coinsToWei, feeCeiling, newOffer } from '../../chain/fee-policy.ts';
import type { MarketReader } from '../../chain/market-reader.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { readGasSpending, type SpentBudget } from '../../ledger/lanes/gas-spending.ts';
import { holdLegs } from '../../ledger/lanes/held-legs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ClaimedLeg } from '../../ledger/lanes/legs.ts';
import type { Log } from '../../platform/log.ts';
import { dustBelow } from '../../platform/money.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import { gasBoundOf, gasCostOf } from './batches/batch-plan.ts';

interface GasBudgetDeps {
  ledger: Ledger;
  signer: Signer;
  network: NetworkSettings;
  market: Pick<MarketReader, 'forNew'>;
  log: Log;
  /** The time in milliseconds; by default the process's clock. */
  now?: (() => number) | undefined;
}

/** What the orders of a profile that somebody can make dear may cost on a network in a day of UTC (`…_GAS_BUDGET`). */
export interface GasBudget {
  /**
   * Those of the claimed legs that go today. The others are held until midnight. An order goes as long as its profile has any budget left, counted with those before
   * it at the price of the moment. Costs a lookup for each profile. Throws what the node throws.
   */
  admit(legs: readonly ClaimedLeg[], signatureGas: bigint): Promise<ClaimedLeg[]>;
  /** What legs take from the budgets of their profiles, to be recorded with their transaction, which costs `mostWei` at most: each its part of the gas. */
  spending(legs: readonly ClaimedLeg[], mostWei: bigint, signatureGas: bigint): SpentBudget | undefined;
}

/** Creates the gas budget of a lane's network. */
export function createGasBudget({ ledger, signer, network, market, log, now = Date.now }: GasBudgetDeps): GasBudget {
  const { chain } = network;
  const budgetWei = coinsToWei(network.gasBudget);
  const budgetLog = createBudgetLog(log);

  /** The wei that a batch of the legs would offer for a gas now; undefined while the price is above the ceiling and nothing is sent. */
  async function priceNow(legs: readonly ClaimedLeg[], signatureGas: bigint): Promise<bigint | undefined> {
    return newOffer(await market.forNew(), feeCeiling(network, gasBoundOf(legs, signatureGas)))?.maxFeePerGas;
  }

  return {
    spending(legs, mostWei, signatureGas) {
      if (!legs.some(hasBudget)) return undefined;
      const parts = legs.map((leg) => ({ leg, gas: gasCostOf(leg, signatureGas) }));
      const whole = parts.reduce((sum, { gas }) => sum + gas, 0n);
      const budgeted = parts.filter(({ leg }) => hasBudget(leg));
      return { spent: budgeted.map(({ leg, gas }) => ({ profile: leg.profile, wei: (mostWei * gas) / whole })), at: new Date(now()) };
    },
    async admit(legs, signatureGas) {
      const budgeted = legs.filter(hasBudget);
      if (budgetWei === 0n || budgeted.length === 0) return [...legs];
      const price = await priceNow(legs, signatureGas);
      if (price === undefined) return [...legs];
      const at = new Date(now());
      const profiles = budgeted.map(({ profile }) => profile);
      const spent = await readGasSpending(ledger, chain, profiles, at);
      const held: ClaimedLeg[] = [];
      for (const leg of budgeted) {
        const before = spent.get(leg.profile) ?? 0n;
        if (before >= budgetWei) held.push(leg);
        else spent.set(leg.profile, before + gasCostOf(leg, signatureGas) * price);
      }
      if (held.length === 0) return [...legs];
      await holdLegs(ledger, signer.address, held, nextMidnight(at));
      budgetLog.held(held, at);
      return legs.filter((leg) => !held.includes(leg));
    },
  };
}

/**
 * Whether an order counts against the budget of its profile: what a contract account signs costs what the account likes, what goes to another network costs what
 * gas costs there, and dust costs more than it moves. A redemption that a key signs costs what everybody's costs. What an operator has released counts no more.
 */
function hasBudget({ kind, signedBy, isDependent, isReleased, amount, currency }: ClaimedLeg): boolean {
  if (isReleased) return false;
  return isDependent || (kind === 'redeem' && (signedBy === 'contract' || amount < dustBelow[currency]));
}

function nextMidnight(at: Date): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));
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
      log.warn({ profiles }, 'gas budget used up: further orders of the profiles that count against it are held until midnight UTC');
    },
  };
}
