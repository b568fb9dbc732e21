/** The currencies that the rail writes, in ISO 4217 spelling, with their decimals (ISO 4217) and the most that one payment may be. */
const currencies: Record<string, { code: string; decimals: 0 | 2; most: bigint }> = {
  // SEPA credit transfers are limited to 999,999,999.99 (EPC115-06).
  eur: { code: 'EUR', decimals: 2, most: 99_999_999_999n },
  // A thousand of them stay within the 18 digits of `CtrlSum`.
  gbp: { code: 'GBP', decimals: 2, most: 99_999_999_999_999n },
  usd: { code: 'USD', decimals: 2, most: 99_999_999_999_999n },
  isk: { code: 'ISK', decimals: 0, most: 99_999_999_999_900n },
};

/** The wire code of a currency; `undefined` when the rail does not carry it. */
export function currencyCode(currency: string): string | undefined {
  return currencies[currency]?.code;
}

/** Why an amount cannot be written; `undefined` when it can. */
export function amountProblem(amount: bigint, currency: string): string | undefined {
  const known = currencies[currency];
  if (known === undefined) return `AM03 not allowed currency: ${currency.toUpperCase()} cannot be paid`;
  if (amount <= 0n) return 'AM01 zero amount';
  if (amount > known.most) return `AM02 not allowed amount: a payment is at most ${amountText(known.most, currency)} ${known.code}`;
  if (known.decimals === 0 && amount % 100n !== 0n) return `AM12 invalid amount: ${known.code} has no decimals`;
  return undefined;
}

/** An amount of minor units with the decimals of its currency. */
export function amountText(amount: bigint, currency: string): string {
  const units = (amount / 100n).toString();
  return currencies[currency]?.decimals === 0 ? units : `${units}.${(amount % 100n).toString().padStart(2, '0')}`;
}
