import styles from './money.module.css';

const groupSeparator = ' ';

/**
 * An amount of whole currency units, such as `1234.50`, with its currency: `1 234.50 EUR`. The digits are shown as they came, never
 * calculated with. `signed` shows a plus, where an amount may go either way.
 */
export function Money({ amount, currency, signed = false }: { amount: string; currency?: string | undefined; signed?: boolean }) {
  return (
    <span className={styles.money}>
      {groupDigits(amount, signed)}
      {currency && <span className={styles.currency}> {currency.toUpperCase()}</span>}
    </span>
  );
}

/** Groups the digits of a decimal number by three, with narrow spaces that do not break the line. */
export function groupDigits(amount: string, signed = false): string {
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)(\d+)(\.\d+)?$/.exec(amount) ?? [];
  if (whole === '') return amount;
  const shownSign = sign === '-' ? '−' : signed && /[1-9]/.test(amount) ? '+' : '';
  return shownSign + whole.replaceAll(/\B(?=(\d{3})+$)/g, groupSeparator) + fraction;
}
