import { Hono } from 'hono';
import { z } from 'zod';
import { readDayClosing, renderClosingCsv, type Safeguarding } from '../../ledger/book/safeguarding.ts';
import type { AccountDay } from '../../ledger/book/closing.ts';
import { formatAmount } from '../../platform/money.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { answerDownload } from '../http/download.ts';
import { validated } from '../http/validated.ts';

const dated = validated('param', z.object({ day: z.iso.date() }));

/** The closing of a day, as `mintrail book day` has it. */
export const closingRoutes = new Hono<ConsoleEnv>()
  .get('/:day', dated, async (context) => {
    const { day, isOver, safeguarding, accounts } = await readDayClosing(context.var.ledger, context.req.valid('param').day);
    return context.json({ day, isOver, safeguarding: safeguarding.map(renderSafeguarding), accounts: accounts.map(renderAccount) }, 200);
  })
  .get('/:day/csv', dated, async (context) => {
    const closing = await readDayClosing(context.var.ledger, context.req.valid('param').day);
    return answerDownload(context, {
      name: `closing-${closing.day}.csv`,
      type: 'text/csv; charset=utf-8',
      content: renderClosingCsv(closing),
    });
  });

function renderSafeguarding({ currency, tokens, otherLiabilities, bank, differences, claims, surplus, trialBalance }: Safeguarding) {
  return {
    currency,
    tokens: formatAmount(tokens),
    otherLiabilities: formatAmount(otherLiabilities),
    bank: formatAmount(bank),
    differences: formatAmount(differences),
    claims: formatAmount(claims),
    surplus: formatAmount(surplus),
    isMissing: surplus < 0n,
    trialBalance: formatAmount(trialBalance),
    isBalanced: trialBalance === 0n,
  };
}

function renderAccount({ account, currency, opening, debited, credited, closing }: AccountDay) {
  return {
    account,
    currency,
    opening: formatAmount(opening),
    debited: formatAmount(debited),
    credited: formatAmount(credited),
    closing: formatAmount(closing),
  };
}
