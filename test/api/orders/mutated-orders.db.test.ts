import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, createWallet } from '../support/test-api.ts';
import { bankOrder, chainOrder, type OrderBody, type Redeemer, redeemer } from './redeeming.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';
import { anyText } from '../../support/any-text.ts';

/** `npm run fuzz` tries more. */
const numRuns = process.env['FUZZ_REQUESTS'] === undefined ? 40 : 1_000;

const api = forWholeFile(createTestApi);
let caller: Redeemer;
beforeAll(async () => void (caller = await redeemer(api, 1_000_000_000n)));

/** Names that an order knows, so that a refusal which names anything else is noticed. */
const fields =
  /^(body|id|kind|address|chain|currency|amount|message|signature|memo|referenceNumber|supportingDocumentId|counterpart(\.identifier(\.(standard|iban|address|chain))?|\.details(\.(firstName|lastName|companyName|name|country))?)?)$/;

const nasty = fc.oneof(
  anyText({ maxLength: 200 }),
  fc.constantFrom('', '0x', '0', '\0', '\ud800', '1e3', '-1', '9'.repeat(400), '__proto__', "' or 1=1 --", 'null', '٣'),
);
const anything = fc.oneof(nasty, fc.jsonValue({ maxDepth: 2 }), fc.constant(null), fc.constant(undefined));

const paths = [
  'id',
  'kind',
  'address',
  'chain',
  'currency',
  'amount',
  'message',
  'signature',
  'memo',
  'referenceNumber',
  'supportingDocumentId',
  'counterpart',
  'counterpart.identifier',
  'counterpart.identifier.standard',
  'counterpart.identifier.iban',
  'counterpart.identifier.address',
  'counterpart.identifier.chain',
  'counterpart.details',
  'counterpart.details.firstName',
  'counterpart.details.lastName',
  'counterpart.details.country',
  'counterpart.details.companyName',
  'counterpart.details.name',
];

/** What may become of one field: any value, or a small slip in what was right. */
const slip = fc.tuple(
  fc.nat(400),
  fc.constantFrom('insert', 'delete', 'swap case'),
  fc.constantFrom(' ', '0', '9', 'a', 'Z', '.', '-', '\n', 'é'),
);
const mutation = fc.tuple(
  fc.constantFrom(...paths),
  fc.oneof(
    anything.map((value) => () => value),
    slip.map(
      ([at, how, character]) =>
        (value: unknown) =>
          typeof value === 'string' ? slipped(value, at, how, character) : value,
    ),
  ),
);

function slipped(text: string, at: number, how: string, character: string): string {
  const place = text.length === 0 ? 0 : at % text.length;
  const [before, own, after] = [text.slice(0, place), text.slice(place, place + 1), text.slice(place + 1)];
  if (how === 'insert') return before + character + own + after;
  if (how === 'delete') return before + after;
  return before + (own === own.toLowerCase() ? own.toUpperCase() : own.toLowerCase()) + after;
}

function mutate(order: OrderBody, path: string, change: (value: unknown) => unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  let holder: Record<string, unknown> | undefined = order;
  for (const name of names) holder = typeof holder?.[name] === 'object' ? (holder[name] as Record<string, unknown>) : undefined;
  if (holder) holder[last] = change(holder[last]);
}

async function validOrder(kind: 'bank' | 'chain'): Promise<OrderBody> {
  const order =
    kind === 'bank'
      ? await bankOrder(caller.wallet, { id: randomUUID(), memo: 'Rent May', referenceNumber: 'RF18' })
      : await chainOrder(caller.wallet, createWallet().address);
  return structuredClone(order);
}

async function rows(): Promise<unknown> {
  const { rows } = await sql`
    select (select count(*) from orders) as orders, (select count(*) from legs) as legs, (select count(*) from events) as events,
      (select count(*) from signature_requests where state <> 'invalid') as open_requests
  `.execute(api.ledger);
  return rows[0];
}

async function expectPlacedOrPrecise(order: OrderBody): Promise<number> {
  const before = await rows();
  const { status, json } = await caller.post('/orders', order);
  await api.accounts.settled();
  const told = `${status} ${JSON.stringify(json)} to ${JSON.stringify(order)}`;
  if (status === 200) {
    expect(await rows(), told).not.toEqual(before);
    return status;
  }
  if (status === 202) return status;
  expect(await rows(), told).toEqual(before);
  expect(status, told).toBe(400);
  expect(json.message).toBe('Validation errors');
  expect(Object.keys(json.errors).length, told).toBeGreaterThan(0);
  for (const [field, text] of Object.entries(json.errors)) {
    expect(field, told).toMatch(fields);
    expect(text, told).not.toMatch(/^(is not valid|Invalid|.*undefined.*)$/);
  }
  return status;
}

describe('an order that was valid before its fields were changed', () => {
  it('is placed, or refused by a field and a text, and then nothing is written', async () => {
    const seen = new Map<number, number>();
    const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('bank', 'chain'), mutations, async (kind, mutations) => {
        const order = await validOrder(kind);
        for (const [path, change] of mutations) mutate(order, path, change);
        const status = await expectPlacedOrPrecise(order);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }),
      { numRuns },
    );
    // Neither answer is so rare that the property says little.
    expect(seen.get(200) ?? 0).toBeGreaterThan(0);
    expect(seen.get(400) ?? 0).toBeGreaterThan(numRuns / 5);
  });

  it('is placed, or refused likewise, when the changed message is signed anew', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('bank', 'chain'), slip, async (kind, [at, how, character]) => {
        const order = await validOrder(kind);
        const message = slipped(order.message, at, how, character);
        await expectPlacedOrPrecise({ ...order, message, signature: await caller.wallet.signMessage({ message }) });
      }),
      { numRuns },
    );
  });
});
