import type { ReportedLine } from '../../ledger/bank/reported-line.ts';

/** An amount in minor units, and the charges that its message names. */
export type Charged = Pick<ReportedLine, 'amount' | 'charges' | 'currency'> & { document: Pick<ReportedLine['document'], 'kind'> };

/** Whether two messages may give these amounts for one money: equal ones or, in two kinds of message, before and after charges that one of them names. */
export function haveOneAmount(one: Charged, other: Charged): boolean {
  if (one.currency !== other.currency) return false;
  if (one.amount === other.amount) return true;
  return one.document.kind !== other.document.kind && (otherAmounts(one).has(other.amount) || otherAmounts(other).has(one.amount));
}

/** The amounts before and after the charges that a message names; none where it names none. */
export function otherAmounts({ amount, charges }: Pick<Charged, 'amount' | 'charges'>): Set<bigint | null> {
  return new Set(amount === null || charges === null ? [] : [amount + charges, amount - charges]);
}

/** Groups what is over one amount and, by the charges that messages name, what another kind of message may give before or after these. Each group is in the order of `all`. */
export function groupByAmount<Item>(all: readonly Item[], chargedOf: (item: Item) => Charged): Item[][] {
  const items = all.map((item) => ({ item, money: chargedOf(item) }));
  const byAmount = Map.groupBy(items, ({ money }) => keyOf(money, money.amount));
  const kinds = new Map([...byAmount].map(([key, alike]) => [key, new Set(alike.map(({ money }) => money.document.kind))]));
  const groups = new Map([...byAmount.keys()].map((key) => [key, new Set([key])]));
  for (const { money } of items)
    for (const amount of otherAmounts(money)) {
      const other = keyOf(money, amount);
      const isOfOthers = [...(kinds.get(other) ?? [])].some((kind) => kind !== money.document.kind);
      if (isOfOthers) join(groups, keyOf(money, money.amount), other);
    }
  return [...Map.groupBy(items, ({ money }) => groups.get(keyOf(money, money.amount))).values()].map((group) =>
    group.map(({ item }) => item),
  );
}

function keyOf({ currency }: Charged, amount: bigint | null): string {
  return `${amount} ${currency}`;
}

/** Makes one group of those of two keys. */
function join(groups: Map<string, Set<string>>, one: string, other: string): void {
  const [first, second] = [groups.get(one), groups.get(other)];
  if (first === undefined || second === undefined || first === second) return;
  for (const key of second) groups.set(key, first.add(key));
}
