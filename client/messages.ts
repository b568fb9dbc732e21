import type { Chain, Order } from './operations.ts';

/**
 * The sentence that the owner of an address signs to link it to a profile (docs/api.md, Messages). It is the same for every service of the
 * API family: {@link linkMessageFor} proves more.
 */
export const linkMessage = 'I hereby declare that I am the address owner.';

/** Which address is linked to which profile, for {@link linkMessageFor}. */
export interface AddressLink {
  /** Address of the API, such as `https://ledger.example`. */
  baseUrl: string;
  /** Id of the profile. */
  profile: string;
  address: string;
  chain: Chain;
  /** When it is signed; now by default. A message is accepted for an hour from then, unless the operator sets another time. */
  at?: Date;
}

/**
 * The message that links an address to one profile of one service, and to no other (docs/api.md, Linking message). Unlike the fixed
 * {@link linkMessage} it cannot be used again by a stranger who has seen it: it takes the address back from a profile that linked it by that
 * sentence, and lets its user sign in by wallet. Throws a TypeError for what the service would not accept.
 */
export function linkMessageFor({ baseUrl, profile, address, chain, at = new Date() }: AddressLink): string {
  check('profile', profile, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(profile), 'a UUID');
  check('address', address, addressPattern.test(address), '0x and 40 hexadecimal digits');
  check('chain', chain, chainPattern.test(chain), 'the name of a chain, such as gnosis');
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return renderLinkMessage({ service: new URL(baseUrl).host, profile, address, chain, nonce, issuedAt: at.toISOString() });
}

/** The lines of a linking message. */
export function renderLinkMessage(lines: Record<'service' | 'profile' | 'address' | 'chain' | 'nonce' | 'issuedAt', string>): string {
  return [
    linkMessage,
    '',
    `Service: ${lines.service}`,
    `Profile: ${lines.profile}`,
    `Address: ${lines.address}`,
    `Chain: ${lines.chain}`,
    `Nonce: ${lines.nonce}`,
    `Issued At: ${lines.issuedAt}`,
  ].join('\n');
}

/** What the holder of an address orders by signing a message (docs/api.md, Messages). */
export interface Payment {
  currency: Order['currency'];
  /** The amount of the order, such as `10.50`. */
  amount: string;
  /** A bank account or an address on another chain; an order's `counterpart.identifier` is one of them. */
  to: { iban: string } | { address: string; chain: Chain };
  /** When it is signed; now by default. A message is valid for five minutes from then. */
  at?: Date;
}

const chainPattern = /^[a-z]+( [a-z]+)?$/;
const addressPattern = /^0x[0-9a-fA-F]{40}$/;

/** As many digits as the ledger holds, and at most two decimals. */
const amountPattern = /^0*\d{1,15}(\.\d{1,2})?$/;

/**
 * The message that the owner of an address signs to authorise one order: a payment to a bank account, or to an address on a chain.
 * One message authorises one order, so two equal payments need different times.
 * Throws a TypeError for a payment that the service would not accept.
 */
export function paymentMessage({ currency, amount, to, at = new Date() }: Payment): string {
  check('currency', currency, /^(eur|usd|gbp|isk)$/.test(currency), 'eur, usd, gbp or isk');
  check('amount', amount, amountPattern.test(amount) && /[1-9]/.test(amount), 'a decimal greater than zero, such as 10.50');
  return `Send ${currency.toUpperCase()} ${amount} to ${destinationOf(to)} at ${timestampOf(at)}`;
}

function destinationOf(to: Payment['to']): string {
  if ('iban' in to) {
    const iban = to.iban.replaceAll(' ', '').toUpperCase();
    check('IBAN', to.iban, hasCheckDigits(iban), 'an IBAN with the right check digits');
    return iban;
  }
  check('address', to.address, addressPattern.test(to.address), '0x and 40 hexadecimal digits');
  check('chain', to.chain, chainPattern.test(to.chain), 'the name of a chain, such as gnosis');
  return `${to.address} on ${to.chain}`;
}

/** The service accepts years of four digits, and no message older than five minutes. */
function timestampOf(at: Date): string {
  const age = Date.now() - at.getTime();
  check('time', String(at), age < 5 * 60_000 && at.getUTCFullYear() < 10_000, 'a time not more than five minutes ago');
  return at.toISOString();
}

/** ISO 13616: with the first four characters at the end, and letters as 10 to 35, the remainder by 97 is 1. */
function hasCheckDigits(iban: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return BigInt(digits) % 97n === 1n;
}

function check(name: string, value: string, isValid: boolean, expected: string): void {
  if (!isValid) throw new TypeError(`The ${name} "${value}" must be ${expected}`);
}
