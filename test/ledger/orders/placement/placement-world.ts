import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Caller } from '../../../../src/ledger/access/permissions.ts';
import { createLedger, type Ledger } from '../../../../src/ledger/ledger.ts';
import { createRedemptionPlacement, type PlaceRedemption } from '../../../../src/ledger/orders/placement/place-redemptions.ts';
import type { ReadHoldings, RedemptionRequest } from '../../../../src/ledger/orders/placement/redemption-request.ts';
import type { RedemptionDraft } from '../../../../src/ledger/orders/placement/insert-redemptions.ts';
import type { LowerAddress } from '../../../../src/platform/addresses.ts';
import { createPool } from '../../../../src/platform/database.ts';
import { minorUnits, toTokenUnits, tokenUnits } from '../../../../src/platform/money.ts';
import { createCustomer, type TestCustomer } from '../../../support/customer.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { createTestHoldings } from '../../../support/test-holdings.ts';

/** A customer whose application asks for redemptions. */
export interface Redeemer extends TestCustomer {
  caller: Caller;
}

/** A request that a test changes. */
export type RequestChange = Partial<RedemptionDraft> & Partial<Pick<RedemptionRequest, 'problems' | 'isSignedByKey' | 'caller'>>;

/** A ledger of its own in which redemptions are placed in groups. */
export async function createPlacementWorld() {
  const database = await createTestDatabase();
  const pool = createPool({ connectionString: database.url });
  const pipelined = createPool({ connectionString: database.url, max: 2, pipelined: { timeoutMs: 15_000 } });
  const woken: string[] = [];
  const ledger = createLedger(pool, { wake: (queue) => void woken.push(queue) });
  const held = new Map<LowerAddress, bigint>();
  const readHoldings = createTestHoldings(
    async (_chain, address) => ({ eur: toTokenUnits(minorUnits(held.get(address) ?? 0n)) }),
    new Set(),
  );
  /** What an API process places redemptions by. */
  const createPlacement = (changes: { pool?: Pool; readHoldings?: ReadHoldings } = {}): PlaceRedemption =>
    createRedemptionPlacement({ ledger, pool: pipelined, readHoldings, ...changes });
  return {
    pool,
    pipelined,
    ledger,
    woken,
    readHoldings,
    createPlacement,
    /** A customer with an approved profile and a linked address that holds so many minor units. */
    async redeemer(funds: bigint): Promise<Redeemer> {
      const customer = await createCustomer(ledger, 'chiado');
      held.set(customer.address, funds);
      return { ...customer, caller: callerOf(customer) };
    },
    async close() {
      await Promise.all([pool.end(), pipelined.end()]);
      await database.drop();
    },
  };
}

/** A valid request of a redeemer; what is changed counts for its hash, too. */
export function requestOf(
  { caller, address }: Redeemer,
  { problems, isSignedByKey, caller: other, ...changes }: RequestChange = {},
): RedemptionRequest {
  const draft = {
    id: randomUUID() as string,
    address,
    chain: 'chiado' as const,
    currency: 'eur' as const,
    amount: '100',
    counterpart: { identifier: { standard: 'iban' as const, iban: 'DE89370400440532013000' }, details: { name: 'Max', country: 'DE' } },
    memo: 'Rent for May',
    referenceNumber: null,
    message: 'Send EUR 1.00 to DE89370400440532013000 at 2026-01-01T00:00:00Z',
    digest: `0x${randomBytes(32).toString('hex')}`,
    signature: `0x${'5e'.repeat(65)}`,
    supportingDocument: null,
    correlationId: 'a-request',
    ...changes,
  };
  return {
    caller: other ?? caller,
    actor: { kind: 'application', id: caller.application, correlationId: 'a-request' },
    draft: { ...draft, requestHash: createHash('sha256').update(JSON.stringify(draft)).digest('hex') },
    isSignedByKey: isSignedByKey ?? true,
    problems: problems ?? { ofNew: undefined, ofLost: undefined },
    openingBalance: tokenUnits(0n),
  };
}

/** What a request led to, in a form to compare: the order's id, or the code of the error. */
export async function answerTo(place: PlaceRedemption, request: RedemptionRequest): Promise<string> {
  try {
    const result = await place(request);
    if (result.kind === 'order') return result.order.id;
    return result.kind === 'error' ? result.error.code : result.kind;
  } catch (error) {
    return String((error as { code?: string }).code ?? error);
  }
}

/** Minor units of the orders that were placed for an address. */
export async function sumPlaced(ledger: Ledger, address: LowerAddress): Promise<bigint> {
  const orders = await ledger.selectFrom('orders').where('address', '=', address).select('amount').execute();
  return orders.reduce((sum, { amount }) => sum + amount, 0n);
}

function callerOf({ user, profile }: TestCustomer): Caller {
  return {
    application: randomUUID(),
    kind: 'private',
    user,
    defaultProfile: profile,
    permissions: ['read', 'write'],
    grant: '',
    token: Buffer.alloc(0),
  };
}
