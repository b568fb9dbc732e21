import { Hono } from 'hono';
import { waitingMoney } from '../../ledger/bank/waiting-money.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { viewRoute } from '../http/view-route.ts';
import { claims, debits } from '../../operations/bank/debit-views.ts';
import { statements } from '../../operations/bank/statement-view.ts';

/** Debits that are none of our payments, credits that the bank took back, and the statements with the gaps between them and the credits that they lack. */
export const debitRoutes = new Hono<ConsoleEnv>()
  .route('/debits', viewRoute(debits))
  .route('/claims', viewRoute(claims))
  .route('/statements', viewRoute(statements))
  .get('/awaited', async (context) => {
    const waiting = (await waitingMoney(context.var.ledger)).filter(({ kind }) => kind === 'awaited');
    return context.json({ awaited: waiting.map(({ account, count, since, oldest }) => ({ account, count, since, oldest })) }, 200);
  });
