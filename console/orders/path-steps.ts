import type { Tone } from '../design/state-badge.tsx';
import type { OrderView } from './queries.ts';

type Leg = OrderView['legs'][number];
type Payment = OrderView['payments'][number];

/** A step of the way of an order's money, in the order of cause and effect. `at` is when it happened; null when it has not, or is not known. */
export type PathStep = {
  key: string;
  at: string | null;
  /** 1 for what carries out the step of depth 0 above it. */ depth: 0 | 1;
  tone: Tone;
} & (
  | { kind: 'related'; text: string; order: string }
  | { kind: 'credit'; credit: OrderView['credits'][number] }
  | { kind: 'order' }
  | { kind: 'leg'; leg: Leg; isGiveBack: boolean }
  | { kind: 'transaction'; transaction: Leg['transactions'][number]; chain: string | null }
  | { kind: 'log'; log: NonNullable<Leg['log']>; chain: string | null }
  | { kind: 'payment'; payment: Payment }
  | { kind: 'entry'; entry: OrderView['entries'][number] }
  | { kind: 'wait'; wait: OrderView['waits'][number] }
  | { kind: 'end' }
);

/** The way of the money: from where it came to where it went, with each entry of the book behind what it books. */
export function pathSteps(view: OrderView): PathStep[] {
  const { order, credits, legs, payments, entries } = view;
  const steps: PathStep[] = relatedBefore(order);
  const add = (source: string, ...caused: PathStep[]) =>
    steps.push(...caused, ...entries.filter((entry) => entry.source === source).map(entryStep));
  const addPayments = (ofLeg: Payment[]) => {
    for (const payment of ofLeg) add(payment.id, paymentStep(payment));
  };
  for (const credit of credits) add(credit.reference, creditStep(credit));
  add(order.id, { kind: 'order', key: order.id, at: order.placedAt, depth: 0, tone: 'neutral' });
  for (const leg of legs) {
    add(leg.id, ...legSteps(leg, order.kind === 'redeem' && leg.kind === 'issue'));
    addPayments(payments.filter((payment) => payment.leg === leg.id));
  }
  addPayments(payments.filter(({ leg }) => !legs.some(({ id }) => id === leg)));
  return [...steps, ...relatedBehind(order), ...view.waits.map(waitStep), ...endOf(order)];
}

function creditStep(credit: OrderView['credits'][number]): PathStep {
  return { kind: 'credit', key: credit.reference, at: credit.receivedAt, depth: 0, tone: 'positive', credit };
}

function relatedBefore({ sourceOrder, givesBack }: OrderView['order']): PathStep[] {
  return [
    ...(sourceOrder === null ? [] : [related('It carries on the order', sourceOrder)]),
    ...(givesBack === null ? [] : [related('It gives back the tokens of the order', givesBack)]),
  ];
}

function relatedBehind({ dependentOrders, givenBackBy }: OrderView['order']): PathStep[] {
  return [
    ...dependentOrders.map((id) => related('It is carried on by the order', id)),
    ...(givenBackBy === null ? [] : [related('Its payout came back; the tokens are given back by the order', givenBackBy)]),
  ];
}

function related(text: string, order: string): PathStep {
  return { kind: 'related', key: `related ${order}`, at: null, depth: 0, tone: 'neutral', text, order };
}

function legSteps(leg: Leg, isGiveBack: boolean): PathStep[] {
  const { id, chain, log, transactions, state, doneAt, createdAt } = leg;
  return [
    { kind: 'leg', key: id, at: createdAt, depth: 0, tone: toneOfState(state), leg, isGiveBack },
    ...transactions.map((transaction, index): PathStep => {
      const tone = transaction.failure === null ? toneOfState(transaction.state) : 'negative';
      return { kind: 'transaction', key: `${id} ${index}`, at: transaction.createdAt, depth: 1, tone, transaction, chain };
    }),
    ...(log === null
      ? []
      : [
          {
            kind: 'log',
            key: `${id} log`,
            at: doneAt,
            depth: 1,
            tone: log.refused === null ? 'positive' : 'negative',
            log,
            chain,
          } satisfies PathStep,
        ]),
  ];
}

function paymentStep(payment: Payment): PathStep {
  return { kind: 'payment', key: payment.id, at: payment.createdAt, depth: 1, tone: toneOfState(payment.state), payment };
}

function entryStep(entry: OrderView['entries'][number]): PathStep {
  return { kind: 'entry', key: entry.id, at: entry.at, depth: 1, tone: 'neutral', entry };
}

function waitStep(wait: OrderView['waits'][number]): PathStep {
  return { kind: 'wait', key: `wait ${wait.kind}`, at: null, depth: 0, tone: 'waiting', wait };
}

function endOf({ state, processedAt, rejectedAt }: OrderView['order']): PathStep[] {
  if (state !== 'processed' && state !== 'rejected') return [];
  return [{ kind: 'end', key: 'end', at: processedAt ?? rejectedAt, depth: 0, tone: state === 'processed' ? 'positive' : 'negative' }];
}

function toneOfState(state: string): Tone {
  if (state === 'done' || state === 'settled' || state === 'accepted') return 'positive';
  if (state === 'refused' || state === 'reverted' || state === 'lost') return 'negative';
  if (state === 'sent' || state === 'mined') return 'progress';
  return state === 'waiting' || state === 'ready' ? 'waiting' : 'neutral';
}
