import { Money } from '../design/money.tsx';
import textStyles from '../design/text.module.css';

/** From ten thousand billions on, a limit of tokens limits nothing, and its digits fit no column. */
const unlimitedDigits = 14;

/** How many tokens a signer may issue now, of its allowance and its limit a day, in whole currency units; in words where that is more than there will ever be. */
export function MintLimits({ currency, mintable, allowance, daily }: Record<'currency' | 'mintable' | 'allowance' | 'daily', string>) {
  return (
    <span>
      <LimitAmount amount={mintable} currency={currency} />
      {!isPracticallyUnlimited(mintable) && (
        <span className={textStyles.note}>
          allowance <LimitAmount amount={allowance} />, limit <LimitAmount amount={daily} /> a day
        </span>
      )}
    </span>
  );
}

function LimitAmount({ amount, currency }: { amount: string; currency?: string }) {
  if (!isPracticallyUnlimited(amount)) return <Money amount={amount} currency={currency} />;
  return <span title={amount}>practically unlimited{currency && ` ${currency.toUpperCase()}`}</span>;
}

/** Whether an amount of tokens, in whole currency units, is more than there will ever be. */
export function isPracticallyUnlimited(amount: string): boolean {
  return (amount.split('.')[0]?.length ?? 0) >= unlimitedDigits;
}
