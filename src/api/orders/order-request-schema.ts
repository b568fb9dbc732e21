import { z } from '@hono/zod-openapi';
import type { PaymentProblem } from '../../bank/payment-problem.ts';
import { paymentProblems } from '../../bank/payment-rules.ts';
import type { Chain } from '../../platform/chains.ts';
import { currencies, type Currency, formatAmount, type MinorUnits } from '../../platform/money.ts';
import { defaultMemo, type Settings } from '../../platform/settings.ts';
import type { PostalAddress } from '../../platform/settings/postal-address.ts';
import { counterpartRequestSchema } from './counterpart-request-schema.ts';
import * as input from '../../wire/input-fields.ts';

/** An order request that satisfies every rule that needs no database. */
export type OrderRequest = z.infer<ReturnType<typeof orderRequestSchema>>;

const zeroAddress = `0x${'0'.repeat(40)}`;

/** The body of `POST /orders` (docs/api.md, Placing an order). */
export function orderRequestSchema(settings: Settings) {
  const documentAmounts = currencies.map((currency) => documentAmount(currency, settings));
  return z
    .object({
      id: input.newOrderId.optional(),
      kind: z.literal('redeem').openapi({ description: 'Only redemptions are placed; issues come from bank credits.' }),
      address: input.address.openapi({ description: 'The linked address whose tokens are burned.' }),
      chain: input.chain(settings).openapi({ description: 'The chain on which they are burned.' }),
      currency: input.currency,
      amount: input.amount.openapi({
        description:
          'The amount in units of the currency, with at most two decimals, greater than zero. To a bank account: ISK without decimals, and at most ' +
          '999999999.99 EUR.',
      }),
      counterpart: counterpartRequestSchema(settings),
      message: input.text(1_000).openapi({
        description:
          'The text that the holder signed: `Send <CURRENCY> <amount> to <IBAN> at <time>`, or `… to <address> on <chain> at <time>`. The time is at most five minutes old.',
        example: 'Send EUR 10.50 to DE89370400440532013000 at 2026-11-20T16:03:54Z',
      }),
      signature: input.signature,
      memo: input.characters(5, 140).optional().openapi({
        description:
          'The remittance text for the payee, 5 to 140 characters, with a letter or digit that banks transmit. Without it: `Powered by <service name>`.',
      }),
      referenceNumber: input.characters(0, 35).optional().openapi({
        description:
          'A structured reference, which goes to the bank instead of the memo. At most 35 characters. One of ISO 11649 (`RF…`) must have its check digits.',
      }),
      supportingDocumentId: input.uuid.optional().openapi({
        description: `Id of an uploaded file that supports the payment. Required from ${documentAmounts.join(', ')} on.`,
      }),
    })
    .superRefine((order, context) => {
      for (const [path, message] of problems(order, settings)) context.addIssue({ code: 'custom', path: path.split('.'), message });
    })
    .openapi('OrderRequest', { description: 'A redemption, authorised by the message that the holder signed.' });
}

/** From which amount on an order needs a supporting document, for people: `15000.00 EUR`. */
function documentAmount(currency: Currency, { documentAmounts }: Settings): string {
  return `${formatAmount(documentAmounts[currency])} ${currency.toUpperCase()}`;
}

type CheckedFields = Omit<OrderRequest, 'id' | 'kind' | 'message' | 'signature'>;

/** Fields that contradict each other or the networks of this deployment. */
function* problems(order: CheckedFields, settings: Settings): Generator<[string, string]> {
  const { networks } = settings;
  const { currency, amount, supportingDocumentId } = order;
  const tokenOn = (chain: Chain): string | undefined => networks[chain]?.tokens[currency];
  if (tokenOn(order.chain) === undefined) yield ['currency', `has no token on ${order.chain}`];
  if (amount >= settings.documentAmounts[currency] && supportingDocumentId === undefined)
    yield ['supportingDocumentId', `is required from ${documentAmount(currency, settings)} on`];
  const payee = order.counterpart.identifier;
  if (payee.standard === 'iban') {
    const { details } = order.counterpart;
    return yield* payoutProblems({ ...order, iban: payee.iban, details }, settings);
  }
  if (tokenOn(payee.chain) === undefined) yield ['counterpart.identifier.chain', `has no token of ${currency}`];
  if (payee.chain === order.chain && payee.address === order.address)
    yield ['counterpart.identifier.address', "must differ from the order's own address on the same chain"];
  // The token contract issues to neither (EMoneyToken.sol, IssueRefusal.InvalidAccount).
  if (payee.address === zeroAddress || payee.address === tokenOn(payee.chain))
    yield ['counterpart.identifier.address', 'cannot hold tokens'];
}

/** The fields of an order to a bank account that its payment is made from. */
interface Payout {
  currency: Currency;
  amount: MinorUnits;
  iban: string;
  details: Partial<Record<'firstName' | 'lastName' | 'companyName' | 'name', string | undefined>> & { address?: PostalAddress | undefined };
  memo?: string | undefined;
  referenceNumber?: string | undefined;
}

/**
 * What of an order to a bank account no bank could carry, by the fields of the request. Such an order is refused before its tokens are
 * burned; the rail asks the same rules when it sends the payment.
 */
function* payoutProblems(order: Payout, settings: Settings): Generator<[field: string, problem: string]> {
  const { currency, amount, iban, memo, referenceNumber } = order;
  const { firstName, lastName, companyName, name, address } = order.details;
  const payment = {
    kind: 'payout',
    currency,
    amount,
    creditorIban: iban,
    creditorAddress: address ?? null,
    // As the payment is made (`makePaymentsOfLegs`).
    creditorName: name ?? companyName ?? `${firstName ?? ''} ${lastName ?? ''}`,
    remittance: memo ?? defaultMemo(settings),
    structuredReference: referenceNumber ?? null,
  } as const;
  const nameField = name === undefined ? (companyName === undefined ? 'lastName' : 'companyName') : 'name';
  const fields: Partial<Record<PaymentProblem['field'], string>> = {
    currency: 'currency',
    amount: 'amount',
    creditorIban: 'counterpart.identifier.iban',
    creditorName: `counterpart.details.${nameField}`,
    remittance: 'memo',
    structuredReference: 'referenceNumber',
  };
  for (const { field, text } of paymentProblems(payment, settings))
    yield [fields[field] ?? field.replace('creditorAddress', 'counterpart.details.address'), text];
}
