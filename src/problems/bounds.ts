import type { PaymentBounds } from '../ledger/bank/waiting-money.ts';
import { type RetentionRule, type RetentionSettings, retentionRules } from '../ledger/growth/retention.ts';
import type { ChainBound } from '../ledger/lanes/overdue-legs.ts';
import type { SignatureBound } from '../ledger/orders/overdue-orders.ts';
import { type Chain, chainFacts, chains } from '../platform/chains.ts';
import { networkDefaults, type Settings } from '../platform/settings.ts';

/** The settings from which the bounds follow. */
export type BoundSettings = Pick<Settings, 'networks' | 'bankFileSeconds' | 'warnAt'> & RetentionSettings;

/** Within how long everything happens when all is well. What is older is a problem. */
export interface Bounds {
  legs: ChainBound[];
  transactions: ChainBound[];
  signatures: SignatureBound[];
  payments: PaymentBounds;
  retention: { rules: RetentionRule[]; now: Date };
}

/**
 * Blocks within which a leg is sent, mined and indexed. A lane sends at once, replaces fees after 3 blocks and recovers from a stolen nonce
 * in fewer than 10; the rest is room for full blocks and for a restart.
 */
const legBlocks = 60;

/** Blocks within which a transaction is mined: by then its fees were raised several times. */
const minedBlocks = 20;

/** Where blocks are fast, restarts and polls take longer than blocks. */
const leastSeconds = 120;

/** How long an account has to sign on chain: 5 days (docs/api.md, Signatures). */
const onChainSignatureSeconds = 5 * 24 * 3_600;

/** A payment worker looks every second; an operator who mends the folder of payment files needs minutes. */
const paymentHandlingSeconds = 300;

/** The bounds of all networks, also of those that the settings do not configure, and of the bank. `now` is the present. */
export function boundsOf(settings: BoundSettings, now: Date): Bounds {
  const legs = chains.map((chain) => chainBound(settings, chain, legSeconds(settings, chain)));
  return {
    legs,
    transactions: chains.map((chain) => chainBound(settings, chain, withinBlocks(settings, chain, minedBlocks))),
    signatures: legs.map(({ chain, seconds }) => ({
      chain,
      inRequestSeconds: withinBlocks(settings, chain, minedBlocks),
      onChainSeconds: onChainSignatureSeconds + seconds,
    })),
    payments: {
      handlingSeconds: paymentHandlingSeconds,
      readySeconds: settings.bankFileSeconds + paymentHandlingSeconds,
      decidedBefore: bankDaysBefore(now, settings.warnAt.paymentDays),
    },
    retention: { rules: retentionRules(settings), now },
  };
}

/** The time that is so many bank days before another. Saturdays and Sundays in UTC are no bank days, and pass in no time; holidays are. */
export function bankDaysBefore(time: Date, days: number): Date {
  const before = new Date(time);
  // All of a weekend is the moment in which Friday ends.
  if (isWeekend(before)) before.setUTCHours(0, 0, 0, 0);
  if (before.getUTCDay() === 0) before.setUTCDate(before.getUTCDate() - 1);
  for (let left = days; left > 0;) {
    before.setUTCDate(before.getUTCDate() - 1);
    if (!isWeekend(before)) left -= 1;
  }
  return before;
}

function isWeekend(time: Date): boolean {
  return time.getUTCDay() === 0 || time.getUTCDay() === 6;
}

function legSeconds(settings: BoundSettings, chain: Chain): number {
  const network = settings.networks[chain];
  if (network?.overdueSeconds !== undefined) return network.overdueSeconds;
  const { confirmations, blockTimeSeconds } = network ?? networkDefaults(chain);
  const confirmationSeconds = typeof confirmations === 'number' ? confirmations * blockTimeSeconds : chainFacts(chain).finalitySeconds;
  return withinBlocks(settings, chain, legBlocks) + confirmationSeconds;
}

function chainBound(settings: BoundSettings, chain: Chain, seconds: number): ChainBound {
  return { chain, seconds, blocks: Math.ceil(seconds / blockTime(settings, chain)) };
}

function withinBlocks(settings: BoundSettings, chain: Chain, blocks: number): number {
  return Math.max(leastSeconds, blocks * blockTime(settings, chain));
}

function blockTime(settings: BoundSettings, chain: Chain): number {
  return (settings.networks[chain] ?? networkDefaults(chain)).blockTimeSeconds;
}
