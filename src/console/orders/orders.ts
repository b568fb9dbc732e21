import { Hono } from 'hono';
import { z } from 'zod';
import { type FoundOrder, findOrdersById, type OrderSearch, type OrderSearchPage, searchOrders } from '../../trace/order-search.ts';
import { formatAmount } from '../../platform/money.ts';
import { type FoundCredit, searchOrderlessCredits } from '../../ledger/bank/unmatched/unmatched-credits.ts';
import { listedStates, orderFilter, orderRow, searchOf } from '../../operations/orders/order-view.ts';
import { readAmount, readIban } from '../../trace/read-text.ts';
import { findMeanings, type TextMeaning } from '../../trace/find-orders.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { readOrderView } from './order-view.ts';

/** Credits that are shown beside the orders of a search at most. */
const mostCredits = 10;

/** Orders of a part of the list at most. */
const mostListed = 500;

const listQuery = orderFilter.extend({
  /** What is searched for; everything unless it is set. */
  q: z.string().trim().max(500).optional(),
  /** Which of its meanings is listed; the likeliest unless it is set. */
  as: z.string().max(20).optional(),
  state: z.enum(listedStates).optional(),
  after: z.uuid().optional(),
  limit: z.coerce.number().int().min(1).max(mostListed).default(100),
});

/** The orders, and what is known of one. */
export const orderRoutes = new Hono<ConsoleEnv>()
  .get('/', validated('query', listQuery), async (context) => {
    const { ledger } = context.var;
    const { q = '', as, state, after, limit, ...filter } = context.req.valid('query');
    const search = searchOf({ ...filter, states: state === undefined ? [] : [state] });
    const meanings = await findMeanings(ledger, q);
    const taken = meanings.find(({ meaning }) => meaning === as) ?? meanings[0];
    const page = await readPart(context.var, { search, taken, isSearch: q !== '', after, limit });
    return context.json(
      {
        orders: page.orders.map(orderRow),
        /** Credits that fit what is searched for and that no order has: they wait at the bank, or were returned. */
        credits: q === '' || after !== undefined ? [] : await readCredits(context.var, q),
        /** Behind which the next part begins; absent at the end. */
        next: page.next,
        /** Everything since then has been looked at. */
        searchedSince: page.searchedSince,
        /** What the text was taken for; absent when nothing was searched for. */
        search: q === '' ? undefined : { meaning: taken?.meaning, ...detailsOf(taken), others: othersOf(meanings, taken) },
      },
      200,
    );
  })
  .get('/:id', validated('param', z.object({ id: z.uuid() })), async (context) =>
    context.json(await readOrderView(context.var, context.req.valid('param').id), 200),
  );

interface Part {
  search: OrderSearch;
  taken: TextMeaning | undefined;
  isSearch: boolean;
  after: string | undefined;
  limit: number;
}

async function readPart(
  { ledger }: ConsoleEnv['Variables'],
  { search, taken, isSearch, after, limit }: Part,
): Promise<Partial<OrderSearchPage> & { orders: FoundOrder[] }> {
  if (isSearch && taken === undefined) return { orders: [] };
  if (taken?.orders) return { orders: after === undefined ? await findOrdersById(ledger, taken.orders, search) : [] };
  return searchOrders(ledger, { ...search, key: taken?.key }, { after, limit });
}

async function readCredits({ ledger }: ConsoleEnv['Variables'], text: string) {
  if (text.includes('\0')) return [];
  const search = { text, amount: readAmount(text), iban: readIban(text) };
  return (await searchOrderlessCredits(ledger, search, mostCredits)).map(renderCredit);
}

function renderCredit({ amount, ...credit }: FoundCredit) {
  return { ...credit, amount: amount === null ? null : formatAmount(amount) };
}

/** What is known of a meaning besides its name. */
function detailsOf(taken: TextMeaning | undefined): { isCut: boolean; amount?: string; currency?: string | undefined; profiles?: number } {
  const key = taken?.key;
  return {
    isCut: taken?.orders ? taken.isCut : false,
    ...(key?.by === 'amount' && { amount: formatAmount(key.amount), currency: key.currency }),
    ...(key?.by === 'profiles' && { profiles: key.profiles.length }),
  };
}

function othersOf(meanings: readonly TextMeaning[], taken: TextMeaning | undefined): TextMeaning['meaning'][] {
  return meanings.filter((meaning) => meaning !== taken).map(({ meaning }) => meaning);
}
