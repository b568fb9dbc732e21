import { z } from 'zod';
import { recordAct } from '../../ledger/access/audit-log.ts';
import { listUnknownStatuses, setStatusesAside, type UnknownStatus } from '../../ledger/bank/payment-statuses.ts';
import { skipIbanNumbers } from '../../ledger/customers/ibans.ts';
import { rehearse } from '../../ledger/ledger.ts';
import { beginRecovery } from '../../ledger/recoveries.ts';
import { acceptOutcome, setOutcomesAside } from '../../ledger/recovery/decide-outcomes.ts';
import { recover, type RecoveryReport } from '../../ledger/recovery/recover.ts';
import { findOutcomes } from '../../ledger/recovery/unrecorded-outcomes.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount, minorUnits } from '../../platform/money.ts';
import { defaultMemo } from '../../platform/settings.ts';
import { amountOrNull, moneyText } from '../bank/money-text.ts';
import { defineVerb, type Json, type VerbContext } from '../verb.ts';

const roles = ['treasurer', 'administrator'] as const;
const topics = ['orders', 'bank', 'status'] as const;
const reason = z.string().trim().min(1).max(500);

/** Holds payments back. It takes power away, and must not wait. */
export const beginRecoveryVerb = defineVerb({
  name: 'recovery.begin',
  summary: 'right after a restore, before the workers start: no payment leaves until the recovery has ended',
  command: 'recover begin',
  input: z.strictObject({
    skipIbans: z.int().min(0).max(1_000_000).default(0).meta({
      description: 'leave out so many IBANs, which may have been given to others since the back-up',
      flags: '--skip-ibans <number>',
    }),
  }),
  roles,
  needsSecondPerson: false,
  describe: async (_, { skipIbans }) => `Begin a recovery: no payment leaves until it has ended. ${skipIbans} IBANs are left out`,
  async carryOut(context, { skipIbans }) {
    const begun = await beginRecovery(context.ledger, context.operator.name);
    await skipIbanNumbers(context.ledger, skipIbans);
    const result = { begun, skippedIbans: skipIbans };
    await record(context, 'begin', 'recovery', result);
    return result;
  },
  topics,
});

/** Rebuilds what a restored ledger has lost. Payments are made of it, and leave once it has ended. */
export const applyRecovery = defineVerb({
  name: 'recovery.apply',
  summary: 'rebuild what a restored ledger has lost, all of it or nothing; once nothing is unexplained, payments leave again',
  command: 'recover --apply',
  input: z.strictObject({}),
  roles,
  needsSecondPerson: true,
  async describe(context) {
    const { legs, rebuilt, givenBack, payments, toPay, digest, booked, openCount, lost, uncompared, isExplained } = await recovered(
      context,
      false,
    );
    const unexplained = openCount + lost.debits.length + lost.statuses.length;
    const end = isExplained
      ? 'Nothing is unexplained, so that payments leave again'
      : `Payments stay held back: ${unexplained} outcomes and payments are unexplained, and ${uncompared.length} chains are not compared`;
    return `Rebuild the ledger: end ${legs} legs, place ${rebuilt} redemptions again, refuse ${givenBack} payouts, accept ${booked} payments that the bank has booked, and make ${payments} payments, by which ${toPayText(toPay)} to be paid. The digest of what is ended and made is ${digest}. ${end}`;
  },
  async carryOut(context) {
    return JSON.parse(JSON.stringify(reportJson(await carryOutRecovery(context)))) as Json;
  },
  topics,
});

/** What {@link applyRecovery} does, with what came of it. */
export async function carryOutRecovery(context: VerbContext): Promise<RecoveryReport> {
  const report = await recovered(context, true);
  const { legs, rebuilt, givenBack, payments, booked, isEnded } = report;
  await record(context, 'apply', 'recovery', { legs, rebuilt, givenBack, payments, booked, isEnded });
  return report;
}

/** A report for programs. */
export function reportJson({ open, toPay, lost: { debits, statuses }, ...report }: RecoveryReport) {
  return {
    ...report,
    toPay: toPay.map(({ currency, amount }) => ({ currency, amount: formatAmount(amount) })),
    open: open.map(({ amount, order, ...outcome }) => ({
      ...outcome,
      amount: formatAmount(amount),
      order: order && { ...order, amount: formatAmount(order.amount) },
    })),
    lost: { debits: debits.map(({ amount, ...debit }) => ({ ...debit, amount: amountOrNull(amount) })), statuses },
  };
}

/** Takes an issue for an order's. */
export const acceptOutcomeVerb = defineVerb({
  name: 'recovery.accept',
  summary:
    "take an issue for its order's although it went to another account or chain, which the holder has chosen since the back-up; or for another order's, whose credit the bank has reported under another reference",
  command: 'recover accept <outcome>',
  input: z.strictObject({
    outcome: z.uuid().describe('id of the outcome in `mintrail recover`'),
    order: z.uuid().describe('the order whose tokens it issued, when the issue names no order of this ledger').optional(),
  }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger }, { outcome, order }) {
    const [open] = await findOutcomes(ledger, [outcome]);
    if (open === undefined) throw unknownOutcome(outcome);
    // Refused here already if the order does not wait for it.
    await rehearse(ledger, (tx) => acceptOutcome(tx, outcome, order));
    return `Take ${outcomeText(open)} for the issue of the order ${order ?? open.orderId}, which ends by it`;
  },
  async carryOut(context, { outcome, order }) {
    await acceptOutcome(context.ledger, outcome, order);
    await record(context, 'accept', outcome, { order: order ?? null });
    return { outcome, order: order ?? null, state: 'accepted' };
  },
  topics,
});

/** Says of outcomes and payments that they are none of this ledger. */
export const setAsideVerb = defineVerb({
  name: 'recovery.set-aside',
  summary: 'say of outcomes or lost payments that they are none of this ledger; what outcomes moved stays a difference of the reserve',
  command: 'recover set-aside <ids...>',
  input: z.strictObject({
    ids: z.array(z.uuid()).min(1).max(1_000).describe('ids of the outcomes and payments in `mintrail recover`'),
    reason: reason.describe('why, such as a stolen key'),
  }),
  roles,
  needsSecondPerson: true,
  async describe({ ledger, operator }, { ids, reason: why }) {
    const outcomes = await findOutcomes(ledger, ids);
    const statuses = await listUnknownStatuses(ledger, ids.length, ids);
    const known = new Set([...outcomes.map(({ id }) => id), ...statuses.map(({ payment }) => payment)]);
    const unknown = ids.find((id) => !known.has(id));
    if (unknown !== undefined)
      throw new StopError({ code: 'not_found', message: `There is no outcome or lost payment ${unknown}: see \`mintrail recover\`` });
    // Refused here already if an order waits for what one has issued.
    await rehearse(ledger, (tx) => setOutcomesAside(tx, ids, why, operator.name));
    return `Say that these are none of this ledger: ${[...outcomes.map(outcomeText), ...statuses.map(statusText)].join('; ')}. Reason: ${why}`;
  },
  async carryOut(context, { ids, reason: why }) {
    const { ledger, operator } = context;
    const outcomes = await setOutcomesAside(ledger, ids, why, operator.name);
    const payments = await setStatusesAside(ledger, ids, why, operator.name);
    await record(context, 'set-aside', ids[0] ?? '', { ids, outcomes, payments, reason: why });
    return { ids, outcomes, payments, reason: why };
  },
  topics,
});

/** Runs a recovery, or shows what it would do (see {@link recover}). */
export async function recovered(
  { ledger, settings, operator }: Pick<VerbContext, 'ledger' | 'settings'> & { operator: { name: string } },
  apply: boolean,
): Promise<RecoveryReport> {
  const chains = Object.values(settings.networks).map(({ chain }) => chain);
  return recover(ledger, { apply, operator: operator.name, chains, defaultMemo: defaultMemo(settings) });
}

function outcomeText({ id, kind, amount, currency, account, chain, txHash }: Awaited<ReturnType<typeof findOutcomes>>[number]): string {
  return `${moneyText(minorUnits(BigInt(amount)), currency)} ${kind === 'issue' ? 'issued to' : 'burnt of'} ${account} on ${chain} in ${txHash} (${id})`;
}

function toPayText(sums: RecoveryReport['toPay']): string {
  return sums.length === 0 ? 'nothing is' : `${sums.map(({ amount, currency }) => moneyText(amount, currency)).join(' and ')} are`;
}

function statusText({ payment, code, reason: why }: UnknownStatus): string {
  return `the payment ${payment}, of which the bank has said ${[code, why].filter((text) => text !== '').join(', ')}`;
}

function unknownOutcome(id: string): StopError {
  return new StopError({ code: 'not_possible', message: `${id} is not the id of an outcome: see \`mintrail recover\`` });
}

async function record(
  { ledger, operator, correlationId }: VerbContext,
  act: string,
  subject: string,
  detail: Record<string, Json>,
): Promise<void> {
  const actor = { kind: 'operator', id: operator.name, ...(correlationId !== undefined && { correlationId }) } as const;
  await recordAct(ledger, { actor, action: `recovery.${act}`, subjectKind: 'recovery', subject, detail });
}
