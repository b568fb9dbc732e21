import { type LowerAddress, lowerAddress } from '../../platform/addresses.ts';
import { type Chain, chainName } from '../../platform/chains.ts';
import { type Currency, type MinorUnits, parseAmount } from '../../platform/money.ts';
import type { AccountIdentifier, Counterpart } from '../../schema/column-types.ts';
import { parseTimestamp } from '../timestamp.ts';

/** How old a message may be when its order comes (docs/api.md, Messages). Any time in the future is valid. */
const maxMessageAgeMs = 5 * 60 * 1_000;

/** More UTF-16 code units than any valid message needs. A longer one is not parsed. */
const maxLength = 300;

/** The payment that a message must authorise. */
export interface AuthorizedPayment {
  currency: Currency;
  /** Minor units. */
  amount: MinorUnits;
  /** Addresses in lower case, IBAN in capitals and without spaces. */
  to: Exclude<Counterpart['identifier'], AccountIdentifier>;
}

/** What a payment message says, whatever its destination means. */
export interface PaymentMessage {
  currency: string;
  /** Minor units. */
  amount: bigint;
  destination: string;
  /** Milliseconds since 1970. */
  time: number;
}

/** Single spaces, the currency in capitals, at most two decimals. */
const form = /^Send ([A-Z]{3}) (\d+(?:\.\d{1,2})?) to (.+) at (\S+)$/s;

/** An IBAN in full or its first and last four characters, with or without spaces. */
const fullIbanPattern = /^[A-Za-z0-9]+(?: [A-Za-z0-9]+)*$/;
const shortIbanPattern = /^([A-Za-z0-9]{4}) ?\.\.\. ?([A-Za-z0-9]{4})$/;

/** An address in full or shortened, as in `0x1234...abcd`, and a chain. */
const onChainPattern = /^(0x[0-9a-fA-F]{40}|0x[0-9a-fA-F]{4}\.\.\.[0-9a-fA-F]{4}) on (.+)$/;

/** Reads a message as the token contract does (contracts/src/PaymentMessage.sol); `undefined` when it does not have the form of a payment. */
export function parsePaymentMessage(message: string): PaymentMessage | undefined {
  const [, currency = '', amountText = '', destination = '', timeText = ''] = form.exec(message) ?? [];
  const amount = parseAmount(amountText);
  const time = parseTimestamp(timeText);
  return amount === undefined || time === undefined ? undefined : { currency, amount, destination, time };
}

/** What is wrong with the message that a wallet's owner signed for an order; `undefined` when it promises exactly that payment. */
export function messageProblem(message: string, order: AuthorizedPayment, now: number): string | undefined {
  const [, currency = '', amount = '', destination = '', time = ''] = message.length > maxLength ? [] : (form.exec(message) ?? []);
  if (time === '') return `must read "${grammarOf(order)}"`;
  if (currency !== order.currency.toUpperCase()) return 'currency differs from the order';
  if (parseAmount(amount) !== order.amount) return 'amount differs from the order';
  const problem = order.to.standard === 'iban' ? ibanProblem(destination, order.to.iban ?? '') : addressProblem(destination, order.to);
  return problem ?? timeProblem(time, now);
}

/** The address and chain that a message names in full; undefined for an account at a bank, and where the address is shortened. */
export function onChainDestination(message: string): { address: LowerAddress; chain: Chain } | undefined {
  const [, address = '', chain = ''] = onChainPattern.exec(parsePaymentMessage(message)?.destination ?? '') ?? [];
  const name = chainName(chain);
  return name === undefined || address.includes('...') ? undefined : { address: lowerAddress(address), chain: name as Chain };
}

/** The IBAN that a message names in full, in capitals and without spaces; undefined where it is shortened. */
export function fullIbanDestination(message: string): string | undefined {
  const destination = parsePaymentMessage(message)?.destination ?? '';
  return fullIbanPattern.test(destination) ? destination.replaceAll(' ', '').toUpperCase() : undefined;
}

function grammarOf({ to }: AuthorizedPayment): string {
  return `Send {EUR|GBP|USD|ISK} {amount} to ${to.standard === 'iban' ? '{IBAN}' : '{address} on {chain}'} at {timestamp}`;
}

function ibanProblem(destination: string, iban: string): string | undefined {
  const [, first, last] = shortIbanPattern.exec(destination) ?? [];
  if (first !== undefined && last !== undefined)
    return iban.startsWith(first.toUpperCase()) && iban.endsWith(last.toUpperCase()) ? undefined : 'IBAN differs from the order';
  if (!fullIbanPattern.test(destination)) return 'destination must be an IBAN, in full or shortened like DE89...3000';
  return destination.replaceAll(' ', '').toUpperCase() === iban ? undefined : 'IBAN differs from the order';
}

function addressProblem(destination: string, to: { address: LowerAddress; chain: Chain }): string | undefined {
  const [, address = '', chain = ''] = onChainPattern.exec(destination) ?? [];
  if (address === '') return 'destination must be {address} on {chain}, the address in full or shortened like 0x1234...abcd';
  const [first = '', last = ''] = address.toLowerCase().split('...');
  if (!to.address.startsWith(first) || !to.address.endsWith(last)) return 'address differs from the order';
  return chainName(chain) === to.chain ? undefined : 'chain differs from the order';
}

function timeProblem(time: string, now: number): string | undefined {
  const signedAt = parseTimestamp(time);
  if (signedAt === undefined) return 'timestamp must be RFC 3339, such as 2026-11-20T16:03:54Z';
  return now - signedAt > maxMessageAgeMs ? 'timestamp is expired' : undefined;
}
