import { createRoute, z } from '@hono/zod-openapi';
import { randomUUID } from 'node:crypto';
import type { Party } from '../../bank/credit.ts';
import { sandboxBank } from '../../ledger/book/accounts.ts';
import { createCreditRecorder } from '../../ledger/bank/credits.ts';
import { defaultMemo, dustWait, type Settings } from '../../platform/settings.ts';
import type { AddRoutes } from '../api.ts';
import { actorOf } from '../middlewares/audit.ts';
import { bearerAccess, errorResponses, json, jsonBody } from '../http/responses.ts';
import * as input from '../../wire/input-fields.ts';
import * as output from '../../wire/output-fields.ts';

/** SEPA allows 70 characters for names and 140 for unstructured remittance information. */
const creditRequestSchema = z
  .object({
    iban: input.iban.openapi({ description: 'The IBAN to which the money is paid.' }),
    amount: input.amount,
    currency: input.currency,
    payer: z
      .object({
        name: input.line(70).min(1, 'must not be empty').openapi({ description: 'Name of the payer, at most 70 characters.' }),
        iban: input.iban.optional().openapi({ description: 'IBAN of the payer. Without it the order names the payer as `account`.' }),
        accountNumber: input.line(34).min(1, 'must not be empty').optional().openapi({
          description: 'Number of an account without an IBAN, at most 34 characters. Ignored beside an IBAN.',
        }),
      })
      .openapi({ description: 'Who pays.' }),
    remittance: input.line(140).optional().openapi({
      description: 'The remittance text, at most 140 characters. `<chain>:<address>` sends the tokens to that linked address.',
    }),
    reference: input
      .line(100)
      .min(1, 'must not be empty')
      .optional()
      .openapi({ description: 'The reference of the bank, at most 100 characters. A credit with a known reference is the same credit.' }),
  })
  .openapi('SandboxCredit', { description: 'A payment that arrives at an IBAN.' });

const creditSchema = z
  .object({
    credit: z
      .object({
        reference: z.string().openapi({ description: 'The reference of the credit.' }),
        ledgerReference: z.string().openapi({
          description:
            'The reference of the credit in the ledger and its book, for `mintrail trace`: it begins with the user, because each numbers their own.',
        }),
        state: z.enum(['matched', 'unmatched', 'returned', 'settled', 'repeated', 'reversed']).openapi({
          description:
            'Whether it became an order, waits for an operator, was returned, was settled by an operator in another way, is the money of another credit, or was taken back by the bank.',
        }),
        reason: z.string().nullable().openapi({ description: 'Why it did not become an order, for people.' }),
        created: z
          .boolean()
          .openapi({ description: 'False when a credit with this reference existed already, which the answer then describes.' }),
      })
      .openapi({ description: 'The credit.' }),
    order: z
      .object({ id: output.uuid.openapi({ description: 'Id of the order.' }), chain: output.chain })
      .nullable()
      .openapi({ description: 'The order that it became.' }),
  })
  .openapi('SandboxCreditAnswer', { description: 'What became of the credit.' });

const route = {
  method: 'post',
  path: '/sandbox/credits',
  ...bearerAccess('Sandbox'),
  operationId: 'simulateCredit',
  summary: 'Simulate a credit',
  description:
    'Money arrives at an IBAN, as a bank would report it, and becomes an order of kind `issue`. A credit to an IBAN that nobody has, or of a profile that is not approved, waits as unmatched. In the ' +
    'sandbox only.',
  request: { body: jsonBody(creditRequestSchema, 'The payment.') },
  responses: { 201: json(creditSchema, 'The credit is recorded.'), ...errorResponses(401, 403, 406, 413, 415) },
} as const;

/** `POST /sandbox/credits`: simulates incoming money, in the sandbox only (docs/api.md, Sandbox endpoints). */
export const addSandboxCredits: AddRoutes = (api, { settings, ledger }, guards) => {
  if (settings.environment !== 'sandbox') return;
  const record = createCreditRecorder(ledger, {
    source: 'sandbox',
    defaultMemo: defaultMemo(settings),
    tokens: tokenNames(settings),
    dustWaitSeconds: dustWait(settings),
  });
  api.openapi(createRoute({ ...route, middleware: guards.caller }), async (context) => {
    const { remittance, payer, ...payment } = context.req.valid('json');
    const { caller, claim, correlationId } = context.var;
    const reference = payment.reference ?? claim?.makes ?? randomUUID();
    // A bank numbers the credits of all its customers; in the sandbox each caller does, and none must meet the number of another.
    const ownReference = `${caller.user}:${reference}`;
    const bookedOn = new Date().toISOString().slice(0, 10);
    const credit = {
      ...payment,
      payer: partyOf(payer),
      reference: ownReference,
      bankAccount: sandboxBank,
      bookedOn,
      correlationId,
      reportedBy: actorOf(caller, correlationId),
      ...(remittance === undefined ? {} : { remittance }),
    };
    const recorded = await record(credit);
    const { state, reason, orderId, chain } = recorded;
    // A reference that comes from the idempotency key can only exist from an earlier run of this request.
    const created = recorded.created || reference === claim?.makes;
    if (orderId !== null) context.set('traced', { order: orderId, isNew: recorded.created });
    const order = orderId === null || chain === null ? null : { id: orderId, chain };
    return context.json({ credit: { reference, ledgerReference: ownReference, state, reason, created }, order }, 201);
  });
};

/** A payer as a bank names it: by an IBAN or else by another number. */
function partyOf({ name, iban, accountNumber }: z.infer<typeof creditRequestSchema>['payer']): Party {
  if (iban !== undefined) return { name, iban };
  return accountNumber === undefined ? { name } : { name, accountNumber };
}

function tokenNames({ networks }: Settings): string[] {
  return Object.values(networks).flatMap(({ chain, tokens }) => Object.keys(tokens).map((currency) => `${chain}:${currency}`));
}
