import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import type { Pool, PoolClient } from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { createHoldingReader } from '../../../../src/indexed/holdings.ts';
import { newestSettledLeg } from '../../../../src/ledger/lanes/decided-legs.ts';
import { insertRedemptions } from '../../../../src/ledger/orders/placement/insert-redemptions.ts';
import type { RedemptionRequest } from '../../../../src/ledger/orders/placement/redemption-request.ts';
import { mayActOn } from '../../../../src/ledger/access/permissions.ts';
import { lowerAddress } from '../../../../src/platform/addresses.ts';
import { StopError } from '../../../../src/platform/errors.ts';
import { loadSettings } from '../../../../src/platform/settings.ts';
import { createFairQueue } from '../../../../src/platform/limits/fair-queue.ts';
import { answerTo, createPlacementWorld, type Redeemer, requestOf, sumPlaced } from './placement-world.ts';
import { forWholeFile } from '../../../support/for-whole-file.ts';

const world = forWholeFile(createPlacementWorld);

const placeAll = (requests: readonly RedemptionRequest[], place = world.createPlacement()) =>
  Promise.all(requests.map((request) => answerTo(place, request)));

describe('redemptions that are requested together', () => {
  it('wake their chain once, and are in the audit log as those of their callers', async () => {
    const redeemer = await world.redeemer(1_000n);
    const requests = Array.from({ length: 5 }, () => requestOf(redeemer));
    world.woken.length = 0;
    const place = world.createPlacement();
    expect(await placeAll(requests, place)).toEqual(requests.map(({ draft }) => draft.id));
    // The first does not wait for company, so there are two groups.
    expect(world.woken).toEqual(['lane-chiado', 'lane-chiado']);
    const audited = await world.ledger.selectFrom('auditLog').where('actor', '=', redeemer.caller.application).selectAll().execute();
    expect(audited.map(({ subject }) => subject).toSorted()).toEqual(requests.map(({ draft }) => draft.id).toSorted());
    expect(audited[0]).toMatchObject({ action: 'order.place', subjectKind: 'order', actorKind: 'application', correlationId: 'a-request' });
    expect(audited[0]?.detail).toEqual({
      profile: redeemer.profile,
      address: redeemer.address,
      chain: 'chiado',
      currency: 'eur',
      amount: 100,
    });
  });

  it('have one statement, however many they are', () => {
    const redeemer = { address: '0x1', caller: {} } as unknown as Redeemer;
    const texts = [1, 3].map((length) => {
      const drafts = Array.from({ length }, () => ({ ...requestOf(redeemer).draft, profile: randomUUID() }));
      const redemptions = drafts.map((draft) => ({ draft, signature: 'by key' as const }));
      return insertRedemptions(redemptions, 'fails').compile(world.ledger).sql;
    });
    expect(texts[0]).toBe(texts[1]);
  });

  it('have the answers and the orders that they have one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(draws, { minLength: 1, maxLength: 30 }), async (drawn) => {
        const redeemers = [await world.redeemer(500n), await world.redeemer(250n)] as const;
        await world.ledger.updateTable('profiles').set({ state: 'approved' }).where('id', '=', redeemers[1].profile).execute();
        const requests = inTurns(requestsOf(drawn, redeemers));
        const expected = placeInTurn(requests, redeemers, { [redeemers[0].address]: 500n, [redeemers[1].address]: 250n });
        expect(await placeAll(requests)).toEqual(expected.answers);
        for (const { address } of redeemers) expect(await sumPlaced(world.ledger, address)).toBe(expected.spent.get(address) ?? 0n);
      }),
      { numRuns: 25 },
    );
  });

  it('of two processes never spend more than the balance', async () => {
    const redeemer = await world.redeemer(1_050n);
    const places = [world.createPlacement(), world.createPlacement()];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => answerTo(places[index % 2] as (typeof places)[0], requestOf(redeemer))),
    );
    expect(answers.filter((answer) => answer === 'insufficient_balance')).toHaveLength(30);
    expect(await sumPlaced(world.ledger, redeemer.address)).toBe(1_000n);
  });

  it('of two processes with one id or one message are placed once', async () => {
    const redeemer = await world.redeemer(10_000n);
    const places = [world.createPlacement(), world.createPlacement()] as const;
    const same = Array.from({ length: 10 }, () => requestOf(redeemer));
    const [first, second] = await Promise.all(places.map((place) => placeAll(same, place)));
    expect(first).toEqual(same.map(({ draft }) => draft.id));
    expect(second).toEqual(first);
    const sameMessage = same.map(({ draft }) => requestOf(redeemer, { digest: draft.digest }));
    expect(new Set(await placeAll(sameMessage))).toEqual(new Set(['message_already_used']));
    expect(await sumPlaced(world.ledger, redeemer.address)).toBe(1_000n);
  });

  it('of two processes with the same ids in reverse order do not wait for each other', async () => {
    const redeemers = [await world.redeemer(20_000n), await world.redeemer(20_000n)] as const;
    const ids = Array.from({ length: 200 }, () => randomUUID() as string);
    const failures = new Set<unknown>();
    const watched = wrapped(world.pipelined, (_, run) =>
      run().catch((error: { code?: string }) => {
        failures.add(error.code);
        throw error;
      }),
    );
    const [place, other] = [world.createPlacement({ pool: watched }), world.createPlacement({ pool: watched })];
    const answers = await Promise.all([
      placeAll(
        ids.map((id) => requestOf(redeemers[0], { id })),
        place,
      ),
      placeAll(
        ids.toReversed().map((id) => requestOf(redeemers[1], { id })),
        other,
      ),
    ]);
    const placed = answers.flat().filter((answer) => answer !== 'order_conflict');
    expect(placed.toSorted()).toEqual(ids.toSorted());
    expect(failures, 'deadlocks').not.toContain('40P01');
  });

  it('are placed although PostgreSQL refuses a value of one of them', async () => {
    const redeemer = await world.redeemer(10_000n);
    const requests = Array.from({ length: 9 }, (_, index) => requestOf(redeemer, index === 4 ? { memo: 'Rent\0' } : {}));
    expect(await placeAll(requests)).toEqual(requests.map(({ draft }, index) => (index === 4 ? '22P05' : draft.id)));
    expect(await sumPlaced(world.ledger, redeemer.address)).toBe(800n);
  });
});

describe('lost redemptions', () => {
  it('are placed each in a group of its own, after the others of their group', async () => {
    const redeemer = await world.redeemer(500n);
    const requests = Array.from({ length: 8 }, () => requestOf(redeemer));
    const lost = [requests[2], requests[5]] as RedemptionRequest[];
    await world.ledger
      .insertInto('unrecordedOutcomes')
      .values(
        lost.map(({ draft: { address: account, chain, currency, digest } }, index) => ({
          chain,
          kind: 'redeem' as const,
          currency,
          orderId: randomUUID(),
          amount: '100',
          token: lowerAddress(`0x${'1'.repeat(40)}`),
          account,
          digest,
          txHash: `0x${String(index).repeat(64)}`,
          blockNumber: 7n,
        })),
      )
      .execute();
    let transactions = 0;
    const connect = () => {
      transactions += 1;
      return world.pipelined.connect();
    };
    const answers = await placeAll(requests, world.createPlacement({ pool: { connect } as unknown as Pool }));
    expect(answers).toEqual(requests.map(({ draft }, index) => (index === 7 ? 'insufficient_balance' : draft.id)));
    expect(transactions, 'the first request, the others, and each lost one').toBe(4);
  });
});

describe('a connection that is lost', () => {
  it('after a timeout is not tried again: the group and those that wait get the outage at once', async () => {
    const redeemer = await world.redeemer(10_000n);
    vi.useFakeTimers({ toFake: ['performance'] });
    let attempts = 0;
    const connect = async () => {
      attempts += 1;
      vi.advanceTimersByTime(5_000);
      throw new Error('timeout exceeded when trying to connect');
    };
    const requests = Array.from({ length: 5 }, () => requestOf(redeemer));
    const answers = await placeAll(requests, world.createPlacement({ pool: { connect } as unknown as Pool }));
    vi.useRealTimers();
    expect(answers).toEqual(requests.map(() => 'Error: timeout exceeded when trying to connect'));
    expect(attempts).toBe(1);
  });

  it('before the commit has placed nothing, and the group is placed on another one', async () => {
    const redeemer = await world.redeemer(10_000n);
    let isKilled = false;
    const place = world.createPlacement({
      async readHoldings(send, query) {
        if (!isKilled) {
          isKilled = true;
          await world.pool.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
          );
        }
        return world.readHoldings(send, query);
      },
    });
    const requests = Array.from({ length: 5 }, () => requestOf(redeemer));
    expect(await placeAll(requests, place)).toEqual(requests.map(({ draft }) => draft.id));
    expect(isKilled).toBe(true);
    expect(await sumPlaced(world.ledger, redeemer.address)).toBe(500n);
  });

  it('and the tables of an index that are gone are answered, and there again are read', async () => {
    const redeemer = await world.redeemer(0n);
    const token = `0x${'e'.repeat(40)}`;
    const settings = loadSettings({
      DATABASE_URL: 'postgresql://db.test/',
      CHIADO_TOKENS: `eur:${token}`,
    });
    await world.pool.query(`
      create schema idx_chiado;
      create table idx_chiado.balance as select '${redeemer.address}'::text as account, '${token}'::text as token, 1e18::numeric * 5 as amount;
      create table idx_chiado.outcome (kind text, tx_hash text, block_number numeric, token text, order_id text, account text, amount numeric,
        sequence numeric, message_hash text, refused text)`);
    const place = world.createPlacement({ readHoldings: createHoldingReader(settings, newestSettledLeg) });
    const placed = async () => answerTo(place, requestOf(redeemer));
    expect(await placed()).toMatch(/^[0-9a-f-]{36}$/);
    await world.pool.query('alter schema idx_chiado rename to idx_away');
    expect(await placed()).toBe('indexer_not_ready');
    await world.pool.query('alter schema idx_away rename to idx_chiado');
    expect(await placed()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await sumPlaced(world.ledger, redeemer.address)).toBe(200n);
  });

  it('with the answer to the commit has placed each order once', async () => {
    const redeemer = await world.redeemer(10_000n);
    let lost = 0;
    const losing = wrapped(world.pipelined, async (text, run) => {
      const answer = await run();
      if (text === 'commit' && (lost += 1) <= 2) throw new Error('Connection terminated unexpectedly');
      return answer;
    });
    const requests = Array.from({ length: 5 }, () => requestOf(redeemer));
    expect(await placeAll(requests, world.createPlacement({ pool: losing }))).toEqual(requests.map(({ draft }) => draft.id));
    expect(lost, 'a commit of each of the two groups').toBe(2);
    expect(await sumPlaced(world.ledger, redeemer.address)).toBe(500n);
  });
});

/** A pool whose statements are run by `around`. */
function wrapped(pool: Pool, around: (text: unknown, run: () => Promise<unknown>) => Promise<unknown>): Pool {
  const connect = async () => {
    const client = await pool.connect();
    const query = client.query.bind(client) as unknown as (...parameters: unknown[]) => Promise<unknown>;
    return {
      release: (error?: Error) => client.release(error),
      query: (...parameters: unknown[]) => around(parameters[0], () => query(...parameters)),
    } as unknown as PoolClient;
  };
  return { connect } as unknown as Pool;
}

const draws = fc.record({
  redeemer: fc.nat(1),
  /** Whose application asks. */
  caller: fc.nat(9).map((drawn) => (drawn === 0 ? 'other' : 'own')),
  id: fc.nat(14),
  message: fc.nat(14),
  amount: fc.constantFrom('10', '60', '100', '200'),
  flaw: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'expired', 'document', 'not linked', 'by contract'),
});
type Drawn = typeof draws extends fc.Arbitrary<infer Value> ? Value : never;

const expired = new StopError({ code: 'invalid_request', message: 'expired' });

function requestsOf(drawn: readonly Drawn[], redeemers: readonly [Redeemer, Redeemer]): RedemptionRequest[] {
  const ids = Array.from({ length: 15 }, () => randomUUID());
  return drawn.map(({ redeemer: index, caller, id, message, amount, flaw }) => {
    const [redeemer, other] = [redeemers[index] as Redeemer, redeemers[1 - index] as Redeemer];
    return requestOf(redeemer, {
      id: ids[id] as string,
      digest: `0x${String(message).padStart(64, '0')}`,
      amount,
      ...(caller === 'other' && { caller: other.caller }),
      ...(flaw === 'expired' && { problems: { ofNew: expired, ofLost: undefined } }),
      ...(flaw === 'document' && { supportingDocument: randomUUID() }),
      ...(flaw === 'not linked' && { chain: 'sepolia' as const }),
      ...(flaw === 'by contract' && { isSignedByKey: false }),
    });
  });
}

/** The order in which requests that come together are placed: the first at once, and the others with their applications taking turns. */
function inTurns([first, ...others]: readonly RedemptionRequest[]): RedemptionRequest[] {
  const queue = createFairQueue<RedemptionRequest>();
  for (const request of others) queue.add(request.caller.application, request);
  return [first as RedemptionRequest, ...queue.take(others.length)];
}

/** The rules of `POST /orders`, for one request after the other. */
function placeInTurn(requests: readonly RedemptionRequest[], redeemers: readonly Redeemer[], held: Record<string, bigint>) {
  const orders = new Map<string, RedemptionRequest>();
  const messages = new Set<string>();
  const spent = new Map<string, bigint>();
  const answers = requests.map(({ caller, draft, problems, isSignedByKey }, index) => {
    const { id, address, amount } = draft;
    const redeemer = redeemers.find((known) => known.address === address) as Redeemer;
    const mayAct = mayActOn(caller, { id: redeemer.profile, application: null, owner: redeemer.user });
    const before = orders.get(id);
    if (before !== undefined) {
      const owner = redeemers.find((known) => known.address === before.draft.address) as Redeemer;
      const maySee = mayActOn(caller, { id: owner.profile, application: null, owner: owner.user });
      return maySee && before.draft.requestHash === draft.requestHash ? id : 'order_conflict';
    }
    if (problems.ofNew !== undefined) return problems.ofNew.code;
    if (!mayAct || draft.chain !== 'chiado') return 'address_not_linked';
    if (draft.supportingDocument !== null) return 'unknown_file';
    if (messages.has(`${address} ${draft.digest}`)) return 'message_already_used';
    const left = (held[address] ?? 0n) - (spent.get(address) ?? 0n);
    if (left < BigInt(amount)) return 'insufficient_balance';
    if (!isSignedByKey) return 'to be signed';
    orders.set(id, requests[index] as RedemptionRequest);
    messages.add(`${address} ${draft.digest}`);
    spent.set(address, (spent.get(address) ?? 0n) + BigInt(amount));
    return id;
  });
  return { answers, spent };
}
