import { decideAlike } from './decide-alike.ts';
import { holdConflicts, holdOverlaps } from './hold-conflicts.ts';
import { type Money, moneyOf } from './money.ts';
import { compareLines } from './order.ts';
import type { ReportedLine } from './reported-line.ts';
import { shareCredits } from './share-credits.ts';
import { putWithin, takeParts } from './sum-parts.ts';
import { type EntryLink, linkSums, withWholeEntries } from './sums.ts';

/**
 * Decides what money the lines of an account are, all of which arrived or all of which left. What comes out depends on the lines and on the credits that were made of them, and never on the order in which
 * they came: a further line adds money or says more of it. The rules are those of docs/bank-files.md (Which money is it?).
 */
export function decideMoney(reported: readonly ReportedLine[]): Money[] {
  const lines = withWholeEntries(reported).toSorted(compareLines);
  // What an operator has said to be money of its own is decided with all that is other money.
  const [open = [], pinned = []] = [false, true].map((is) =>
    lines.filter(({ credit }) => (credit?.isPinned === true && !credit.isFirst) === is),
  );
  const links = linkSums(open);
  const linked = new Set(links.flatMap(({ sums }) => sums));
  const single = open.filter((line) => !linked.has(line));
  const partitions = Map.groupBy(single, ({ amount, currency, entry, number }) =>
    amount === null ? (number ?? entry.id) : `${amount} ${currency}`,
  );
  const money = [...partitions.values()].flatMap((alike) => decideAlike(alike, links));
  const sums = links.map((link) => moneyOfSum(link, money));
  const all = [...money, ...sums];
  for (const sum of money) if (sum.lines.every(({ isSum }) => isSum)) takeParts(sum, sum.lines, money);
  for (const line of pinned) {
    const known = all.find(({ credit }) => credit !== undefined && credit.reference === line.credit?.reference);
    known?.lines.push(line);
  }
  holdOverlaps(money);
  holdConflicts(all);
  return all;
}

/** The sum of a link: its transactions stand for it, unless it became an order before. */
function moneyOfSum({ sums, entries }: EntryLink, money: readonly Money[]): Money {
  const sum = moneyOf({ lines: sums }, new Map());
  shareCredits([sum]);
  if (sum.credit?.state === 'spent') {
    putWithin(
      sum,
      money.filter(({ lines }) => lines.some(({ entry }) => entries.has(entry.id))),
    );
    return sum;
  }
  takeParts(sum, sums, money, entries);
  return Object.assign(sum, { left: null });
}
