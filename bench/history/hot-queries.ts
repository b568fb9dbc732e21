import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { createBalanceReader } from '../../src/indexed/balances.ts';
import { indexedOutcomes, indexedOutcomesBehind, indexedOutcomesBetween } from '../../src/indexed/outcomes.ts';
import { createHoldingReader } from '../../src/indexed/holdings.ts';
import { readNews } from '../../src/indexed/progress.ts';
import { viewsSchema } from '../../src/indexed/schema-names.ts';
import { listAudit } from '../../src/ledger/access/audit-log.ts';
import { claimKey, sweepKeys } from '../../src/ledger/access/idempotency-keys.ts';
import type { Caller } from '../../src/ledger/access/permissions.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import type { NewCredit } from '../../src/ledger/bank/match-credits.ts';
import { takePaymentBatch } from '../../src/ledger/bank/payment-batches.ts';
import { findDocuments, findReports } from '../../src/ledger/bank/related-reports.ts';
import { makePaymentsOfLegs } from '../../src/ledger/bank/payment-legs.ts';
import { listAllPayments, listPaymentFiles } from '../../src/ledger/bank/payment-queries.ts';
import { isOwnPayout } from '../../src/ledger/bank/payments.ts';
import { listUnmatchedCredits } from '../../src/ledger/bank/unmatched/unmatched-credits.ts';
import { readBalances, trialBalance } from '../../src/ledger/book/balances.ts';
import { recordEntries } from '../../src/ledger/book/entries.ts';
import { listAccountPostings } from '../../src/ledger/book/journal.ts';
import { rollForward } from '../../src/ledger/book/roll-forward.ts';
import { findAddress } from '../../src/ledger/customers/addresses.ts';
import { listProfiles } from '../../src/ledger/customers/profiles.ts';
import { listPartitions, partitionGaps } from '../../src/ledger/growth/partitions.ts';
import { clearTransactionBytes } from '../../src/ledger/growth/transaction-bytes.ts';
import { findDecidedLegs, findDisregardedOutcomes, hasSentLegs, newestSettledLeg } from '../../src/ledger/lanes/decided-legs.ts';
import { liveNonces, recordedNonces } from '../../src/ledger/lanes/lane-nonces.ts';
import { type LegGroup, listReadyGroups, nextContractAccounts } from '../../src/ledger/lanes/leg-groups.ts';
import { claimingSigners, claimLegs, releaseClaims } from '../../src/ledger/lanes/legs.ts';
import { countFailingLegs, listFailingLegs, listUnexplainedReverts } from '../../src/ledger/lanes/lone-reverts.ts';
import { closablePage, newestMined } from '../../src/ledger/lanes/mined-transactions.ts';
import { readNetworkWork } from '../../src/ledger/lanes/network-work.ts';
import { readGasSpending } from '../../src/ledger/lanes/gas-spending.ts';
import { countHeldLegs, releaseDueLegs, releaseDust } from '../../src/ledger/lanes/held-legs.ts';
import { openTransactionCounts, unminedTransactions, unminedCost } from '../../src/ledger/lanes/unmined-transactions.ts';
import { inTransaction, type Ledger } from '../../src/ledger/ledger.ts';
import { awaitedSignatures, listDueSignatures, type SignatureSource } from '../../src/ledger/orders/due-signatures.ts';
import { settleLegs } from '../../src/ledger/orders/settling/settle-legs.ts';
import { findOwnEvent, isReadable, newestPosition, readFeed, readOwnFeed } from '../../src/ledger/orders/order-feed.ts';
import { readOrderHistory } from '../../src/ledger/orders/order-history.ts';
import { orders as orderView } from '../../src/operations/orders/order-view.ts';
import { readView } from '../../src/operations/view.ts';
import { type OrderSearch, searchOrders } from '../../src/trace/order-search.ts';
import { findOrder, listOrders } from '../../src/ledger/orders/orders.ts';
import { createRedemptionPlacement } from '../../src/ledger/orders/placement/place-redemptions.ts';
import { findEarlier } from '../../src/ledger/orders/redemptions.ts';
import { listPendingSignatures } from '../../src/ledger/orders/signature-queries.ts';
import { awaitedComparison } from '../../src/ledger/recovery/outcome-audits.ts';
import { findUnrecordedOutcomes, hasUnrecordedOutcomes } from '../../src/ledger/recovery/unrecorded-outcomes.ts';
import { claimDeliveries } from '../../src/ledger/webhooks/claims.ts';
import { listDeliveries, pendingDeliveries, subscriptionHealth } from '../../src/ledger/webhooks/delivery-queries.ts';
import { dispatchEvents } from '../../src/ledger/webhooks/dispatch.ts';
import { type LowerAddress, lowerAddress } from '../../src/platform/addresses.ts';
import { minorUnits, tokenUnits } from '../../src/platform/money.ts';
import type { Settings } from '../../src/platform/settings.ts';
import { compareBookWithIndex } from '../../src/reconciliation/book-and-index.ts';
import { compareBookWithStates } from '../../src/reconciliation/book-and-states.ts';
import { readReserve } from '../../src/reconciliation/reserve.ts';
import { readStatus } from '../../src/problems/read-status.ts';
import { findMeanings, findOrders } from '../../src/trace/find-orders.ts';
import { readOrderStory } from '../../src/trace/order-story.ts';
import { testSealer } from '../../test/support/test-sealer.ts';
import { bankAccount, tokenOf } from './networks.ts';
import { applicationId, signerAddress, subscriptionId, userId } from './statements.ts';

/** Something that the service or an operator asks the ledger. */
export interface HotQuery {
  name: string;
  ask: () => Promise<unknown>;
  /** Whether the service repeats it by itself, or for every order. */
  isOfLoop?: boolean;
}

const chain = 'gnosis' as const;
const signer = lowerAddress(signerAddress);
const tokens = { eur: tokenOf(chain, 'eur'), gbp: tokenOf(chain, 'gbp') };
const upToBlock = 900_000_000n;

/** An order of the generated ledger, with what other queries look for. */
interface Sample {
  id: string;
  kind: string;
  profile: string;
  address: LowerAddress;
  digest: string | null;
  memo: string;
  txHash: string;
}

/** Where hot queries are asked; `pool` is the ledger's. */
export interface HotQueryDependencies {
  ledger: Ledger;
  pool: Pool;
  settings: Settings;
}

/**
 * Every query that the service repeats or an operator waits for, whose cost must not grow with history. They call the functions of the program, so
 * a plan that is looked at is the one that the program gets. Those that change something change as little as once.
 */
export async function hotQueries({ ledger, pool, settings }: HotQueryDependencies): Promise<HotQuery[]> {
  const samples = await readSamples(ledger);
  const sample = () => samples[Math.floor(Math.random() * samples.length)] as Sample;
  return [
    ...(await apiQueries(ledger, sample)),
    ...[
      ...(await placementQueries({ ledger, pool, settings }, sample)),
      ...laneQueries(ledger),
      ...settlerQueries(ledger),
      ...(await eventQueries(ledger, sample)),
      ...bankQueries(ledger),
      ...bookQueries(ledger, settings),
    ].map((query) => Object.assign(query, { isOfLoop: true })),
    ...operatorQueries(ledger, settings, sample),
  ];
}

async function readSamples(ledger: Ledger): Promise<Sample[]> {
  const { rows } = await sql<Sample>`
    select id, kind, profile, address, digest, memo, tx_hashes[1] as tx_hash from orders where id > gen_random_uuid() and state = 'processed' order by id limit 100
  `.execute(ledger);
  return rows;
}

/** What partners and customers read. */
async function apiQueries(ledger: Ledger, sample: () => Sample): Promise<HotQuery[]> {
  const { rows: merchants } = await sql<{ profile: string }>`select profile from orders where id in (
    select id from orders order by placed_at desc limit 100) group by profile order by count(*) desc limit 1`.execute(ledger);
  const merchant = merchants[0]?.profile as string;
  const newest = await listOrders(ledger, { profile: merchant }, { limit: 500 });
  const after = newest.rows.at(-1)?.id;
  const caller: Caller = {
    grant: '',
    token: Buffer.alloc(0),
    application: applicationId,
    kind: 'whitelabel',
    user: userId,
    defaultProfile: merchant,
    permissions: ['read', 'write'],
  };
  const ofMerchant = (
    name: string,
    filter: Partial<Parameters<typeof listOrders>[1]>,
    page: Parameters<typeof listOrders>[2] = {},
  ): HotQuery => ({
    name: `GET /orders${name}`,
    ask: () => listOrders(ledger, { profile: merchant, ...filter }, { limit: 50, ...page }),
  });
  return [
    ofMerchant('', {}),
    ofMerchant('?after=', {}, { after }),
    ofMerchant('?placedAfter=', {}, { from: new Date(Date.now() - 86_400_000) }),
    ...(['placed', 'pending', 'processed', 'rejected'] as const).map((state) => ofMerchant(`?state=${state}`, { states: [state] })),
    ofMerchant('?state=placed&state=rejected', { states: ['placed', 'rejected'] }),
    ofMerchant('?state=placed&state=processed', { states: ['placed', 'processed'] }),
    ofMerchant(' of all states', { states: ['placed', 'pending', 'processed', 'rejected'] }),
    ofMerchant('?memo=', { memo: newest.rows.at(-1)?.memo }),
    ofMerchant('?memo= of none', { memo: 'no order has this memo' }),
    ofMerchant('?txHash=', { txHash: newest.rows.find(({ txHashes }) => txHashes.length > 0)?.txHashes[0] }),
    ofMerchant('?txHash= of none', { txHash: `0x${'ab'.repeat(32)}` }),
    ofMerchant('?address=', { address: newest.rows[0]?.address }),
    ofMerchant('?address= of none', { address: lowerAddress(`0x${'ab'.repeat(20)}`) }),
    ofMerchant('?address=&memo= of none', { address: newest.rows[0]?.address, memo: 'no order has this memo' }),
    ofMerchant('?address=&state=', { address: newest.rows[0]?.address, states: ['processed', 'rejected'] }),
    {
      name: "GET /orders?address= of the merchant's address by another customer",
      ask: () => listOrders(ledger, { profile: crypto.randomUUID(), address: newest.rows[0]?.address }, { limit: 50 }),
    },
    { name: 'GET /orders of a customer', ask: () => listOrders(ledger, { profile: sample().profile }, { limit: 50 }) },
    { name: 'GET /orders/{orderId}', ask: () => findOrder(ledger, caller, sample().id) },
    { name: 'GET /orders/{orderId}/events', ask: () => readOrderHistory(ledger, sample().id) },
    { name: 'GET /signatures', ask: () => listPendingSignatures(ledger, { profile: merchant }, { limit: 50 }) },
    { name: 'GET /profiles', ask: () => listProfiles(ledger, caller, {}, { limit: 50 }) },
    { name: 'payout of an order', ask: () => isOwnPayout(ledger, caller, sample().id) },
    { name: 'GET /webhooks/{id}/deliveries', ask: () => listDeliveries(ledger, { subscription: subscriptionId }, { limit: 50 }) },
    ...(['pending', 'delivered', 'failed', 'cancelled'] as const).map((state) => ({
      name: `GET /webhooks/{id}/deliveries?state=${state}`,
      ask: () => listDeliveries(ledger, { subscription: subscriptionId, states: [state] }, { limit: 50 }),
    })),
    {
      name: 'GET /webhooks/{id}/deliveries of two states',
      ask: () => listDeliveries(ledger, { subscription: subscriptionId, states: ['delivered', 'failed'] }, { limit: 50 }),
    },
    {
      name: 'order stream of a caller',
      ask: async () => {
        const upTo = await newestPosition(ledger);
        return readOwnFeed(ledger, { caller, profile: merchant, after: upTo - 1_000n, upTo, limit: 200 });
      },
    },
  ];
}

/** Placing an order, and what comes before it. */
async function placementQueries({ ledger, pool, settings }: HotQueryDependencies, sample: () => Sample): Promise<HotQuery[]> {
  const caller: Caller = {
    grant: '',
    token: Buffer.alloc(0),
    application: applicationId,
    kind: 'whitelabel',
    user: userId,
    defaultProfile: null,
    permissions: ['read', 'write'],
  };
  const place = createRedemptionPlacement({ ledger, pool, readHoldings: createHoldingReader(settings, newestSettledLeg) });
  const readIndexedBalances = createBalanceReader(ledger, settings, newestSettledLeg);
  const { rows } = await sql<{ account: LowerAddress }>`
    select account from ${sql.table(`${viewsSchema(chain)}.balance`)} where token = ${tokens.eur} order by amount desc limit 1`.execute(
    ledger,
  );
  const holder = rows[0]?.account as LowerAddress;
  const draft = () => ({
    id: crypto.randomUUID(),
    address: holder,
    chain,
    currency: 'eur' as const,
    amount: '1',
    counterpart: {
      identifier: { standard: 'iban' as const, iban: 'DE89370400440532013000' },
      details: { name: 'Max Mustermann', country: 'DE' },
    },
    memo: 'Invoice',
    referenceNumber: null,
    message: 'Send EUR 0.01 to DE89370400440532013000',
    digest: `0x${randomHex(32)}`,
    signature: `0x${randomHex(65)}`,
    supportingDocument: null,
    requestHash: randomHex(32),
    correlationId: null,
  });
  return [
    { name: 'POST /orders: idempotency key', ask: () => claimKey(ledger, randomBytes(32), randomBytes(32)) },
    {
      name: 'POST /orders: placing',
      ask: async () => {
        const placed = await place({
          caller,
          actor: { kind: 'application', id: applicationId },
          draft: draft(),
          isSignedByKey: true,
          problems: { ofNew: undefined, ofLost: undefined },
          openingBalance: tokenUnits(0n),
        });
        if (placed.kind !== 'order') throw new Error('the order is not placed', { cause: placed });
      },
    },
    { name: 'POST /orders: earlier request', ask: () => findEarlier(ledger, caller, draft()) },
    { name: 'GET /balances', ask: () => readIndexedBalances(chain, sample().address, ['eur']) },
    { name: 'linked address', ask: () => findAddress(ledger, caller, sample().address, chain) },
  ];
}

/** What a lane repeats. */
function laneQueries(ledger: Ledger): HotQuery[] {
  const lane = { chain, signer } as const;
  const groups: LegGroup[] = (['eur', 'gbp'] as const).flatMap((currency) =>
    [false, true].flatMap(
      (isRetry) =>
        [
          { kind: 'issue', currency, signedBy: 'nobody', isRetry },
          { kind: 'redeem', currency, signedBy: 'key', isRetry },
          { kind: 'redeem', currency, signedBy: 'contract', isRetry },
        ] as const,
    ),
  );
  return [
    { name: 'lane: ready groups', ask: () => listReadyGroups(ledger, chain, ['eur', 'gbp']) },
    {
      name: 'lane: contract accounts',
      ask: () => nextContractAccounts(ledger, { chain, currency: 'eur', after: '', block: 1n, limit: 50 }),
    },
    ...groups.map((group) => ({
      name: `lane: claim of ${Object.values(group).join(' ')}`,
      ask: () => claimLegs(ledger, { chain, signer, group, limit: 5, tokens, block: 1n, accounts: [] }),
    })),
    { name: 'lane: signers with claims', ask: () => claimingSigners(ledger, chain) },
    { name: 'lane: release of claims', ask: () => releaseClaims(ledger, chain, signer) },
    { name: 'lane: live nonces', ask: async () => liveNonces(ledger, lane, (await recordedNonces(ledger, lane)).lowestSent ?? 0n) },
    { name: 'lane: unmined transactions', ask: () => unminedTransactions(ledger, lane) },
    { name: 'lane: cost of unmined transactions', ask: () => unminedCost(ledger, chain, signer) },
    { name: 'lane: counts of transactions', ask: () => openTransactionCounts(ledger, chain) },
    { name: 'lane: newest mined', ask: () => newestMined(ledger, lane, undefined, 100) },
    { name: 'lane: closable', ask: () => closablePage(ledger, { ...lane, above: -1n, upTo: upToBlock, limit: 100 }) },
    { name: 'lane: failing legs', ask: () => Promise.all([listFailingLegs(ledger, chain), countFailingLegs(ledger, chain)]) },
    { name: 'lane: what there is to do', ask: () => readNetworkWork(ledger, chain, ['eur', 'gbp']) },
    { name: 'lane: unexplained reverts', ask: () => listUnexplainedReverts(ledger, chain) },
    {
      name: 'lane: held legs',
      ask: () =>
        Promise.all([countHeldLegs(ledger, [chain]), releaseDueLegs(ledger, chain, new Date()), releaseDust(ledger, chain, ['eur'], 100)]),
    },
    {
      name: 'lane: gas spending',
      ask: () => readGasSpending(ledger, chain, [crypto.randomUUID()], new Date()),
    },
    { name: 'signatures: any due', ask: () => awaitedSignatures(ledger, chain) },
    ...(['in request', 'on chain'] as const satisfies SignatureSource[]).map((source) => ({
      name: `signatures ${source}`,
      ask: () => listDueSignatures(ledger, chain, source),
    })),
  ];
}

/** What the settler repeats. */
function settlerQueries(ledger: Ledger): HotQuery[] {
  const filter = { chain, outcomes: indexedOutcomes(chain), upToBlock, except: [], limit: 10 } as const;
  return [
    {
      name: 'settler: news of the index, sent legs',
      ask: () =>
        readNews(ledger, chain, {
          hasNew: hasUnrecordedOutcomes({ chain, tokens, outcomes: indexedOutcomesBehind(chain, upToBlock) }),
          facts: { isWaiting: hasSentLegs(chain), awaitedSince: awaitedComparison(chain) },
        }),
    },
    { name: 'settler: disregarded outcomes', ask: () => findDisregardedOutcomes(ledger, filter) },
    { name: 'settler: decided legs and their end', ask: async () => settleLegs(ledger, await findDecidedLegs(ledger, filter)) },
    {
      name: 'settler: audit of the log',
      ask: async () => {
        const { rows } = await sql<{
          block: bigint;
        }>`select max(block_number)::bigint as block from ${sql.table(`${viewsSchema(chain)}.outcome`)}`.execute(ledger);
        const block = rows[0]?.block ?? 0n;
        return findUnrecordedOutcomes(ledger, { chain, tokens, outcomes: indexedOutcomesBetween(chain, block - 100n, block), limit: 100 });
      },
    },
  ];
}

/** What events and deliveries repeat. */
async function eventQueries(ledger: Ledger, sample: () => Sample): Promise<HotQuery[]> {
  const position = await newestPosition(ledger);
  const caller: Caller = {
    grant: '',
    token: Buffer.alloc(0),
    application: applicationId,
    kind: 'whitelabel',
    user: userId,
    defaultProfile: null,
    permissions: ['read', 'write'],
  };
  return [
    { name: 'events: recent ones', ask: () => dispatchEvents(ledger, 100, 'recent') },
    { name: 'events: all', ask: () => dispatchEvents(ledger, 100, 'all') },
    { name: 'order stream: newest events', ask: () => readFeed(ledger, { after: position - 100n, limit: 200 }) },
    { name: 'order stream: resume', ask: () => isReadable(ledger, position - 1_000n) },
    { name: 'order stream: cursor', ask: () => findOwnEvent(ledger, caller, sample().id) },
    {
      name: 'deliveries: due',
      ask: () => claimDeliveries(ledger, testSealer, { limit: 2, failingLimit: 1, slots: [], otherSlots: 2, leaseSeconds: 60 }),
    },
    { name: 'deliveries: pending', ask: () => pendingDeliveries(ledger) },
    { name: 'deliveries: health', ask: () => subscriptionHealth(ledger) },
  ];
}

/** What the bank's side repeats. */
function bankQueries(ledger: Ledger): HotQuery[] {
  return [
    {
      name: 'credits: recording',
      ask: () =>
        recordCredits(ledger, [newCredit(), newCredit()], { source: 'statement.xml', defaultMemo: 'Memo', tokens: [`${chain}:eur`] }),
    },
    {
      name: 'credits: other reports',
      ask: () =>
        inTransaction(ledger, (tx) =>
          findReports(tx, [crypto.randomUUID()], {
            keys: [{ account: 'sandbox', currency: 'eur', amount: minorUnits(1_00n) }],
            first: '2026-01-01',
            last: '2026-01-31',
          }),
        ),
    },
    {
      name: 'credits: documents of other reports',
      ask: () => inTransaction(ledger, (tx) => findDocuments(tx, [crypto.randomUUID()])),
    },
    { name: 'payouts: payments of legs', ask: () => makePaymentsOfLegs(ledger, 5) },
    {
      name: 'payouts: next batch',
      ask: () =>
        takePaymentBatch(ledger, {
          limit: 5,
          collectSeconds: 0,
          plan: (payments) => ({ accepted: [], refused: [], sent: payments.map(({ id }) => id) }),
        }),
    },
  ];
}

/** What the book repeats. */
function bookQueries(ledger: Ledger, settings: Settings): HotQuery[] {
  const networks = Object.values(settings.networks);
  return [
    {
      name: 'book: roll-forward of 100 entries',
      ask: async () => {
        await bookSecond(ledger);
        await rollForward(ledger);
      },
    },
    { name: 'book: balances', ask: () => Promise.all([readBalances(ledger), trialBalance(ledger)]) },
    { name: 'book: reserve', ask: () => readReserve(ledger) },
    { name: 'comparison with the index', ask: () => Promise.all(networks.map((network) => compareBookWithIndex(ledger, network))) },
    { name: 'comparison with the states', ask: () => compareBookWithStates(ledger) },
  ];
}

/** What an operator asks, and what the service does for them. */
function operatorQueries(ledger: Ledger, settings: Settings, sample: () => Sample): HotQuery[] {
  const orders = (name: string, filter: Parameters<typeof readView<(typeof orderView)['input'], unknown>>[2]): HotQuery => ({
    name: `orders list${name}`,
    ask: () => readView(orderView, ledger, filter, 50),
  });
  return [
    { name: 'status', ask: () => readStatus(ledger, settings) },
    orders('', {}),
    ...(['placed', 'pending', 'processed', 'rejected'] as const).map((state) => orders(` --state ${state}`, { state: [state] })),
    orders(' --state placed pending', { state: ['placed', 'pending'] }),
    orders(' --state processed placed', { state: ['processed', 'placed'] }),
    orders(' --address', { address: sample().address }),
    { name: 'orders show, trace', ask: () => readOrderStory(ledger, sample().id) },
    { name: 'trace of a hash', ask: () => findOrders(ledger, sample().txHash) },
    ...[
      ['reference', `${bankAccount}:C1`],
      ['address', sample().address],
      ['profile', sample().profile],
      ['popular IBAN', 'DE89370400440532013000'],
      ['popular amount', '12.50 EUR'],
      ['memo', sample().memo],
      ['popular name', 'customer'],
      ['text that is nothing', 'nothing has this text'],
    ].map(([kind, text = '']) => ({ name: `search by a ${kind}`, ask: () => findMeanings(ledger, text) })),
    ...searchQueries(ledger, sample()),
    { name: 'payments list', ask: () => listAllPayments(ledger, { limit: 50 }) },
    ...(['ready', 'sent', 'accepted', 'refused', 'returned'] as const).map((state) => ({
      name: `payments list --state ${state}`,
      ask: () => listAllPayments(ledger, { state: [state], limit: 50 }),
    })),
    { name: 'payments files', ask: () => listPaymentFiles(ledger, 50) },
    { name: 'bank unmatched', ask: () => listUnmatchedCredits(ledger, 50) },
    { name: 'book show', ask: () => listAccountPostings(ledger, { account: 'liabilities:issue', limit: 50 }) },
    { name: 'webhook deliveries', ask: () => listDeliveries(ledger, {}, { limit: 50 }) },
    { name: 'webhook deliveries --state failed', ask: () => listDeliveries(ledger, { states: ['failed'] }, { limit: 50 }) },
    { name: 'audit', ask: () => listAudit(ledger, { limit: 50 }) },
    { name: 'audit --subject', ask: () => listAudit(ledger, { subject: sample().id, limit: 50 }) },
    { name: 'audit --actor', ask: () => listAudit(ledger, { actor: applicationId, limit: 50 }) },
    { name: 'audit --since 24h', ask: () => listAudit(ledger, { since: new Date(Date.now() - 86_400_000), limit: 50 }) },
    { name: 'retention: gaps', ask: async () => partitionGaps(ledger, await listPartitions(ledger), new Date()) },
    { name: 'retention: keys', ask: () => sweepKeys(ledger, 7) },
    { name: 'retention: bytes of transactions', ask: () => clearTransactionBytes(ledger, 90) },
  ];
}

/** The list of the console: what is searched for, and what only narrows it. */
function searchQueries(ledger: Ledger, { id, address, profile, memo }: Sample): HotQuery[] {
  const searches: Record<string, OrderSearch> = {
    'all orders': {},
    'orders of a day': { from: new Date(Date.now() - 86_400_000), until: new Date() },
    'open orders': { states: ['placed', 'pending'] },
    'processed orders of a currency': { states: ['processed'], currency: 'gbp' },
    'orders of a profile': { profile },
    'orders of an address': { key: { by: 'address', address } },
    'orders of a popular IBAN': { key: { by: 'iban', iban: 'DE89370400440532013000' } },
    'orders of an amount': { key: { by: 'amount', amount: minorUnits(1_00n), currency: 'eur' } },
    'orders with a memo': { key: { by: 'memo', memo } },
    'orders of two profiles': { key: { by: 'profiles', profiles: [profile, crypto.randomUUID()] } },
  };
  return Object.entries(searches).flatMap(([name, search]) => [
    { name: `search: ${name}`, ask: () => searchOrders(ledger, search, { limit: 50 }) },
    { name: `search: ${name}, further`, ask: () => searchOrders(ledger, search, { limit: 50, after: id }) },
  ]);
}

/** The entries of a busy second, for the roll-forward. */
async function bookSecond(ledger: Ledger): Promise<void> {
  const entry = { kind: 'opening', debit: 'equity:openings', credit: 'equity:operator', currency: 'eur', amount: minorUnits(1n) } as const;
  await inTransaction(ledger, (tx) =>
    recordEntries(
      tx,
      Array.from({ length: 100 }, () => ({ ...entry, source: crypto.randomUUID() })),
    ),
  );
}

function newCredit(): NewCredit {
  return {
    reference: `${bankAccount}:${crypto.randomUUID()}`,
    bankAccount,
    iban: 'IS000000000000000000000001',
    currency: 'eur',
    amount: minorUnits(1_00n),
    payer: { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' },
    remittance: 'Invoice',
    endToEndId: crypto.randomUUID(),
    uetr: crypto.randomUUID(),
    bookedOn: new Date().toISOString().slice(0, 10),
  };
}

function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}
