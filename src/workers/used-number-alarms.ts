import type { DecidedLeg } from '../ledger/lanes/decided-legs.ts';
import { recentlyUsedNumbers } from '../ledger/lanes/renumber-legs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Currency } from '../platform/money.ts';
import type { NetworkSettings } from '../platform/settings.ts';
import type { Alarms } from './alarms.ts';

/** Alarms about sequence numbers that somebody else used up: the sign of a stolen operator key. */
export interface UsedNumberAlarms {
  /** Raises again what the ledger recorded before the process began, once, and ends what is over. */
  recall(): Promise<void>;
  raise(leg: DecidedLeg): void;
}

/** What they need. */
export interface UsedNumberAlarmsDeps {
  ledger: Ledger;
  network: NetworkSettings;
  alarms: Alarms;
  now: () => number;
}

/** Long enough after the last use for an operator who was asleep to see it. */
const alarmLastsSeconds = 24 * 3_600;

/** Creates the alarms of a network. One is raised for each token, and lasts for a day after the last use. */
export function createUsedNumberAlarms({ ledger, network, alarms, now }: UsedNumberAlarmsDeps): UsedNumberAlarms {
  const raisedUntil = new Map<string, number>();
  let recalled = false;
  const raise = (token: string, what: string, ageSeconds: number) => {
    raisedUntil.set(token, now() + (alarmLastsSeconds - ageSeconds) * 1_000);
    const remedy = `Whoever sent it has the operator role: revoke the role of that key with \`mintrail token revoke operator ADDRESS --chain ${network.chain} --currency CURRENCY\`, then give the operator a new one`;
    alarms.raise('sequence_used_elsewhere', token, `On the token ${token}: ${what}. ${remedy}`);
  };
  return {
    async recall() {
      for (const [token, until] of raisedUntil) {
        if (now() < until) continue;
        raisedUntil.delete(token);
        alarms.clear('sequence_used_elsewhere', token);
      }
      if (recalled) return;
      const recent = await recentlyUsedNumbers(ledger, network.chain, alarmLastsSeconds);
      for (const { currency, reason, txHash, ageSeconds } of recent)
        raise(tokenOf(network, currency), `transaction ${txHash}: an order's leg says that ${reason}`, ageSeconds);
      recalled = true;
    },
    raise({ token, sequence, txHash, blockNumber }) {
      const what = `the sequence number ${sequence} of an order was used for something else, by the transaction ${txHash} in block ${blockNumber}`;
      raise(token, `${what}. The order is sent anew with another number`, 0);
    },
  };
}

function tokenOf({ tokens }: NetworkSettings, currency: Currency): string {
  return tokens[currency] ?? currency;
}
