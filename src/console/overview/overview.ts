import { Hono } from 'hono';
import { z } from 'zod';
import { listSignerReserves } from '../../ledger/lanes/signer-amounts.ts';
import { readOrderActivity } from '../../ledger/orders/figures/order-activity.ts';
import { type Breach, openBreaches } from '../../ledger/reserve/breaches.ts';
import { listReserveSamples, type SampleStep } from '../../ledger/reserve/samples.ts';
import { formatAmount, type MinorUnits, minorUnits, totalOf } from '../../platform/money.ts';
import { readReserve, type Reserve } from '../../reconciliation/reserve.ts';
import { readStatus } from '../../problems/read-status.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { comparisons } from '../../operations/reserve/comparison-view.ts';
import { readView } from '../../operations/view.ts';
import { renderSignerReserve, renderStatus } from './render-status.ts';

/** Charts have at most a few hundred points. */
const ranges = {
  hour: { step: 'minute', steps: 60, every: 1 },
  day: { step: 'minute', steps: 24 * 60, every: 5 },
  week: { step: 'hour', steps: 7 * 24, every: 1 },
  quarter: { step: 'hour', steps: 92 * 24, every: 8 },
} as const satisfies Record<string, { step: SampleStep; steps: number; every: number }>;

/** What the first page shows: whether anything needs a person, the reserve, what happens, and what it happens with. */
export const overviewRoutes = new Hono<ConsoleEnv>()
  .get('/status', async (context) => {
    const { ledger, settings } = context.var;
    return context.json(renderStatus(await readStatus(ledger, settings)), 200);
  })
  .get('/reserve', async (context) => {
    const { ledger } = context.var;
    const [reserves, compared, breaches] = await Promise.all([
      readReserve(ledger),
      readView(comparisons, ledger, {}, Infinity),
      openBreaches(ledger),
    ]);
    return context.json(
      {
        reserves: reserves.map(renderReserve),
        comparisons: compared.rows,
        breaches: breaches.map(renderBreach),
      },
      200,
    );
  })
  .get(
    '/history',
    validated('query', z.object({ currency: z.string().max(8), range: z.enum(Object.keys(ranges) as (keyof typeof ranges)[]) })),
    async (context) => {
      const { currency, range } = context.req.valid('query');
      const samples = await listReserveSamples(context.var.ledger, { currency, ...ranges[range] });
      return context.json(
        {
          samples: samples.map(({ takenAt, bank, underWay, circulation }) => ({
            at: takenAt.toISOString(),
            bank: formatAmount(bank),
            underWay: formatAmount(underWay),
            tokens: formatAmount(totalOf(Object.values(circulation))),
            circulation: Object.fromEntries(Object.entries(circulation).map(([chain, amount]) => [chain, formatAmount(amount)])),
          })),
        },
        200,
      );
    },
  )
  .get('/activity', async (context) => {
    const { minutes, ...rest } = await readOrderActivity(context.var.ledger);
    return context.json({ ...rest, minutes: minutes.map(({ minute, placed }) => ({ minute: minute.toISOString(), placed })) }, 200);
  })
  .get('/signers', async (context) => {
    const reserves = await listSignerReserves(context.var.ledger);
    return context.json({ signers: reserves.map(renderSignerReserve) }, 200);
  });

/**
 * The equation of a currency: the money at the bank, and what it is. `difference` is what the two sides differ by: anything but zero means
 * that the book is damaged.
 */
function renderReserve({ currency, bank, circulation, underWay, openings, operator, claims, differences }: Reserve) {
  const money = totalOf(Object.values(bank));
  const tokens = totalOf(Object.values(circulation));
  const moving = totalOf(Object.values(underWay));
  const owed = tokens + moving + openings + operator - claims - differences;
  return {
    currency,
    bank: { total: formatAmount(money), accounts: amountsOf(bank) },
    tokens: { total: formatAmount(tokens), networks: amountsOf(circulation) },
    underWay: { total: formatAmount(moving), kinds: amountsOf(underWay) },
    openings: formatAmount(openings),
    operator: formatAmount(operator),
    claims: formatAmount(claims),
    unexplained: formatAmount(differences),
    difference: formatAmount(minorUnits(money - owed)),
  };
}

/** A difference that lasts: nothing of its currency is issued until an operator has acknowledged it. */
function renderBreach({ comparison, currency, account, difference, foundAt }: Breach) {
  return { comparison, currency, account, difference: formatAmount(difference), foundAt: foundAt.toISOString() };
}

function amountsOf(amounts: Partial<Record<string, MinorUnits>>): { name: string; amount: string }[] {
  return Object.entries(amounts).map(([name, amount]) => ({ name, amount: formatAmount(amount ?? minorUnits(0n)) }));
}
