import type { Rpc } from '../../../chain/endpoints/rpc.ts';
import { isAnySequenceUsed } from '../../../chain/token/used-sequences.ts';
import { nextSequence } from '../../../ledger/lanes/token-openings.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { lowerAddress } from '../../../platform/addresses.ts';
import type { Currency } from '../../../platform/money.ts';
import type { NetworkSettings } from '../../../platform/settings.ts';
import type { Alarms } from '../../alarms.ts';

/** Whether a lane may give out sequence numbers. */
export interface NumberCheck {
  /**
   * Asks the token contract, until it has said once that the ledger's next numbers are free. While it has used some, the ledger is behind its chain: the
   * same credits may have been issued under them, and the index has to show that first. False while no node answers.
   */
  mayIssue(currency: Currency): Promise<boolean>;
}

interface NumberCheckDeps {
  ledger: Ledger;
  rpc: Pick<Rpc, 'multicall'>;
  network: NetworkSettings;
  alarms: Alarms;
}

/** Creates the check of a lane that was just taken. */
export function createNumberCheck({ ledger, rpc, network, alarms }: NumberCheckDeps): NumberCheck {
  const { chain, tokens } = network;
  const free = new Set<Currency>();
  let doubted: Currency | undefined;

  return {
    async mayIssue(currency) {
      if (free.has(currency)) return true;
      const token = tokens[currency];
      if (token === undefined) return false;
      const next = await nextSequence(ledger, chain, lowerAddress(token));
      const isUsed = await isAnySequenceUsed(rpc, token, next).catch(() => undefined);
      if (isUsed === undefined) return false;
      if (!isUsed) {
        free.add(currency);
        alarms.clear('ledger_behind', token);
        return true;
      }
      // Another lane may have used a number between the two answers.
      if (doubted === currency)
        alarms.raise(
          'ledger_behind',
          token,
          `The token ${token} has used sequence numbers that this ledger has not given out. Either it was restored from an earlier back-up, or somebody ` +
            `else has an operator key. Nothing is issued of ${currency} until the index of ${chain} shows what they were used for: see \`mintrail recover\``,
        );
      doubted = currency;
      return false;
    },
  };
}
