import { z } from 'zod';
import { recordAct } from '../../ledger/access/audit-log.ts';
import { findProfileName } from '../../ledger/customers/profile-search.ts';
import { forgetGasSpending } from '../../ledger/lanes/gas-spending.ts';
import { releaseDust, releaseOfProfile } from '../../ledger/lanes/held-legs.ts';
import { laneQueue } from '../../ledger/wake-ups.ts';
import { inTransaction, type Ledger } from '../../ledger/ledger.ts';
import { type Chain, chains } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { currencies } from '../../platform/money.ts';
import { defineVerb } from '../verb.ts';

/** More credits than anybody lets wait: those behind them go with the next call. */
const mostReleased = 10_000;

/** Releases what is held on a network: dust, or what the gas budget of a profile holds. */
export const releaseHeld = defineVerb({
  name: 'orders.release',
  summary:
    'send at once what waits on a network: credits of small amounts, or with `--profile` the orders that the gas budget of a profile holds',
  command: 'orders release <chain>',
  input: z.strictObject({
    chain: z.enum(chains as [Chain, ...Chain[]]).describe('network, such as `gnosis`'),
    profile: z.uuid().optional().describe('id of the profile whose held orders go, and whose budget begins anew'),
    reason: z.string().trim().min(3).max(500).describe('why it does not wait; it is recorded'),
  }),
  roles: ['treasurer', 'administrator'],
  needsSecondPerson: false,
  async describe({ ledger }, { chain, profile, reason }) {
    const what =
      profile === undefined
        ? `what waits on ${chain} to share a transaction`
        : `what the gas budget of the profile ${profile} (${await requireProfileName(ledger, profile)}) holds on ${chain}; its budget of today begins anew`;
    return `Send at once ${what}. Reason: ${reason}`;
  },
  carryOut({ ledger, operator, correlationId }, { chain, profile, reason }) {
    return inTransaction(ledger, async (tx) => {
      if (profile !== undefined) await forgetGasSpending(tx, chain, profile);
      const released =
        profile === undefined ? await releaseDust(tx, chain, currencies, mostReleased) : await releaseOfProfile(tx, chain, profile);
      if (released > 0) tx.wakeUps.add(laneQueue(chain));
      await recordAct(tx, {
        actor: { kind: 'operator', id: operator.name, ...(correlationId !== undefined && { correlationId }) },
        action: 'order.release',
        ...(profile === undefined ? { subjectKind: 'network', subject: chain } : { subjectKind: 'profile', subject: profile }),
        detail: { chain, released, reason },
      });
      return { released };
    });
  },
  topics: ['orders', 'networks', 'status'],
});

async function requireProfileName(ledger: Ledger, profile: string): Promise<string> {
  const name = await findProfileName(ledger, profile);
  if (name !== undefined) return name;
  throw new StopError({ code: 'not_found', message: `There is no profile ${profile}` });
}
