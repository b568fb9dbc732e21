import type { OrderKey } from './order-search.ts';
import { lowerAddress } from '../platform/addresses.ts';
import { type Currency, currencies, type MinorUnits, parseAmount } from '../platform/money.ts';

const currencySigns: Record<string, Currency> = { '€': 'eur', $: 'usd', '£': 'gbp' };
const ibanPattern = /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/;

/** Characters of a memo or a name that are searched at most: longer than either can be. */
const longestText = 500;

/** Words of a name that are searched at most, and the letters that one must have: fewer are in very many names. */
const mostWords = 6;
const shortestWord = 2;

/** An amount with or without its currency, as people write it: `12.50`, `EUR 1,234.50`, `1 234,50 €`. */
export function readAmount(text: string): { amount: MinorUnits; currency: Currency | undefined } | undefined {
  const [, before = '', digits = '', behind = ''] = /^([a-z]{3}|[€$£])?\s*([\d.,'\s]+?)\s*([a-z]{3}|[€$£])?$/i.exec(text.trim()) ?? [];
  const names = [before, behind].filter((name) => name !== '').map((name) => currencySigns[name] ?? name.toLowerCase());
  const currency = currencies.find((name) => name === names[0]);
  if (names.length > 1 || (names.length === 1 && currency === undefined)) return undefined;
  const amount = parseAmount(withoutGroups(digits));
  return amount === undefined || amount === 0n ? undefined : { amount, currency };
}

/** An IBAN in its electronic form, without spaces; undefined for what has another form. */
export function readIban(text: string): string | undefined {
  const iban = text.replaceAll(/\s/g, '').toUpperCase();
  return ibanPattern.test(iban) ? iban : undefined;
}

/** The keys that a text can be by its form, without the profiles that a name stands for. */
export function readKeys(text: string): OrderKey[] {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return [{ by: 'address', address: lowerAddress(text) }];
  const iban = readIban(text);
  const amount = readAmount(text);
  return [
    ...(iban === undefined ? [] : [{ by: 'iban', iban } as const]),
    ...(amount === undefined ? [] : [{ by: 'amount', ...amount } as const]),
    ...(text.length > longestText ? [] : [{ by: 'memo', memo: text } as const]),
  ];
}

/** The words of a text that can be a name; none when it cannot. */
export function readNameWords(text: string): string[] {
  if (text.length > longestText) return [];
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => word.length >= shortestWord) ? words.slice(0, mostWords) : [];
}

/** Digits without what groups them, and with a point before the decimals. */
function withoutGroups(digits: string): string {
  const plain = digits.replaceAll(/['\s]/g, '');
  if (/^\d{1,3}(,\d{3})+(\.\d{1,2})?$/.test(plain)) return plain.replaceAll(',', '');
  // Without decimals behind it a point may also be one before three decimals, which no amount has.
  if (/^\d{1,3}(\.\d{3})+,\d{1,2}$/.test(plain)) return plain.replaceAll('.', '').replace(',', '.');
  return plain.replace(/,(\d{1,2})$/, '.$1');
}
