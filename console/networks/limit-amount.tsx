import { Money } from '../design/money.tsx';

/** From ten thousand billions on, a limit of tokens limits nothing, and its digits fit no column. */
const unlimitedDigits = 14;

/** How many tokens a signer may issue, in whole currency units; in words where it is more than there will ever be. */
export function LimitAmount({ amount, currency }: { amount: string; currency?: string }) {
  const digits = amount.split('.')[0]?.length ?? 0;
  if (digits < unlimitedDigits) return <Money amount={amount} currency={currency} />;
  return <span title={amount}>practically unlimited{currency && ` ${currency.toUpperCase()}`}</span>;
}
