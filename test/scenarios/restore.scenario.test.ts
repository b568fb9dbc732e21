import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { hashMessage } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { paymentMessage } from '../../client/index.ts';
import { makePaymentsOfLegs } from '../../src/ledger/bank/payment-legs.ts';
import { rejectPayout } from '../../src/ledger/bank/payments.ts';
import { payoutPaymentId, returnPaymentId } from '../../src/ledger/derived-ids.ts';
import { idOfCreditOrder, idOfDependentOrder } from '../support/derived-order-ids.ts';
import { endToEndIdOf } from '../../src/ledger/end-to-end-id.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { insertRedemption, type RedemptionDraft } from '../../src/ledger/orders/placement/insert-redemptions.ts';
import { beginRecovery } from '../../src/ledger/recoveries.ts';
import { recover } from '../../src/ledger/recovery/recover.ts';
import { countOpenOutcomes } from '../../src/ledger/recovery/unrecorded-outcomes.ts';
import { compareBook } from './expect-reconciled.ts';
import { boundsOf } from '../../src/problems/bounds.ts';
import { ledgerProblems } from '../../src/problems/ledger-problems.ts';
import { masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { execute, fundedAccount } from '../support/chain/local-chain.ts';
import { startTestNetwork, type TestNetwork } from '../support/chain/network.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { type Bank, copyDatabase, openBank, readChain, startWorld, type World } from './restored-world.ts';

/** `RESTORE_ORDERS=200 npm test -- test/scenarios/restore.scenario.test.ts` is the full size. */
const count = Number(process.env['RESTORE_ORDERS'] ?? 10);

/** Problems of a service whose common worker does not run. */
const ofCommonWorker = new Set(['comparison_missing', 'partition_missing', 'retention_overdue']);

const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
const referenceOf = (number: number) => `${masterIban}:C${number}`;
const options = { operator: 'operator', chains: ['chiado', 'sepolia'] as const, defaultMemo: 'memo' };

describe(`a ledger that is restored from a back-up of before ${count} orders`, () => {
  let database: TestDatabase;
  let networks: TestNetwork[];
  let bank: Bank;
  let world: World;
  let customer: TestCustomer;
  let blocked: TestCustomer;
  /** Bank references of credits; of those that the token refuses. */
  const credits: string[] = [];
  const refusedCredits: string[] = [];
  /** Redemptions by how they end. */
  const drafts: (RedemptionDraft & { end: 'paid' | 'given back' | 'on the other chain' })[] = [];

  /** A statement with one credit for each customer. */
  async function credit(...customers: TestCustomer[]): Promise<void> {
    const entries = customers.map(({ iban }) => {
      const number = credits.length + refusedCredits.length;
      (iban === blocked.iban ? refusedCredits : credits).push(referenceOf(number));
      const amount = number === 0 ? '1000.00' : `${1 + (number % 7)}.00`;
      return { amount, reference: `C${number}`, transactions: [{ amount, payer, creditorIban: iban }] };
    });
    await world.import(bank.credit(entries));
  }

  async function redeem(end: (typeof drafts)[number]['end']): Promise<string> {
    const to =
      end === 'on the other chain' ? { standard: 'chain' as const, address: customer.address, chain: 'sepolia' as const } : undefined;
    const amount = BigInt(101 + drafts.length);
    const at = new Date(Date.now() + drafts.length * 1_000);
    const text = `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
    const message = paymentMessage({ currency: 'eur', amount: text, to: to ?? { iban: payer.iban }, at });
    const draft: RedemptionDraft = {
      id: randomUUID(),
      profile: customer.profile,
      address: customer.address,
      chain: 'chiado',
      currency: 'eur',
      amount: amount.toString(),
      counterpart: { identifier: to ?? { standard: 'iban', iban: payer.iban }, details: to ? {} : { name: payer.name, country: 'IS' } },
      memo: 'Rent',
      referenceNumber: null,
      message,
      digest: hashMessage(message),
      signature: await privateKeyToAccount(customer.privateKey).signMessage({ message }),
      supportingDocument: null,
      requestHash: randomBytes(32).toString('hex'),
      correlationId: null,
    };
    drafts.push({ ...draft, end });
    await inTransaction(world.ledger, (tx) => insertRedemption(tx, draft, 'by key'));
    return draft.id;
  }

  /** The outcome that shows of a message that the chain has burnt its tokens, while no order of the ledger has it. */
  const findLost = (digest: string) =>
    world.ledger
      .selectFrom('unrecordedOutcomes')
      .where('digest', '=', digest)
      .where('state', '!=', 'applied')
      .select('id')
      .executeTakeFirst();
  const legsIn = async (states: ('waiting' | 'ready' | 'sent')[], kinds: ('issue' | 'redeem' | 'payout' | 'return')[]) =>
    (await world.ledger.selectFrom('legs').where('state', 'in', states).where('kind', 'in', kinds).select('id').execute()).length;

  /** Lets the bank do its part until nothing is under way. */
  async function settle(): Promise<void> {
    await until('nothing is under way', async () => {
      await world.payOut();
      const statement = bank.book();
      if (statement) await world.import(statement);
      return (await legsIn(['waiting', 'ready', 'sent'], ['issue', 'redeem', 'payout', 'return'])) === 0 || undefined;
    });
  }

  const onChain = (kinds: ('issue' | 'redeem')[]) =>
    until('the chain side is done', async () => (await legsIn(['ready', 'sent'], kinds)) === 0 || undefined);

  beforeAll(async () => {
    database = await createTestDatabase();
    bank = openBank();
    networks = await Promise.all((['chiado', 'sepolia'] as const).map((chain) => startTestNetwork({ databaseUrl: database.url, chain })));
    world = await startWorld(database.url, networks, bank.outbox);
    customer = await createCustomer(world.ledger, 'chiado');
    blocked = await createCustomer(world.ledger, 'chiado');
    const { address, user } = customer;
    await world.ledger.insertInto('addressLinks').values({ address, chain: 'sepolia', linkedBy: user }).execute();
    const [{ rpc, tokens }] = networks as [TestNetwork];
    await execute(rpc, tokens.eur as `0x${string}`, eMoneyTokenAbi, 'blockAccount', [blocked.address], { from: fundedAccount(0) });

    // What the back-up has: a payment that is due, and a payout that is due.
    await credit(customer);
    await onChain(['issue']);
    await redeem('paid');
    await onChain(['redeem']);
    await makePaymentsOfLegs(world.ledger, 10);
    await redeem('paid');
    await onChain(['redeem']);
  });

  afterAll(async () => {
    await world?.stop();
    await Promise.all(networks?.map((network) => network.close()) ?? []);
    bank?.remove();
    await database?.drop();
  });

  it('issues and pays nothing twice, and loses nothing', async () => {
    await world.stop();
    const backup = await copyDatabase(database.url, `restored_${randomBytes(4).toString('hex')}`);
    world = await startWorld(database.url, networks, bank.outbox);
    for (let placed = 0; placed < count; placed += 5) {
      await credit(customer, customer, ...(placed % 2 === 0 ? [blocked] : []));
      await redeem('paid');
      await redeem('on the other chain');
      const rejected = await redeem('given back');
      await onChain(['redeem']);
      await makePaymentsOfLegs(world.ledger, 100);
      await rejectPayout(world.ledger, rejected, 'account closed');
      await settle();
    }
    // Burnt, and not paid out when the ledger is lost.
    await redeem('paid');
    await onChain(['redeem']);
    await world.stop();
    const before = await Promise.all(networks.map(readChain));

    world = await startWorld(backup, networks, bank.outbox);
    await beginRecovery(world.ledger, 'operator');
    for (const file of bank.files.toReversed()) await world.import(file);
    const unpaid = drafts.at(-1) as (typeof drafts)[number];
    await until('the chains are compared', () => findLost(unpaid.digest));
    const planned = await until('all but one is explained', async () => {
      const plan = await recover(world.ledger, { ...options, apply: false });
      return plan.openCount === 1 && plan.rebuilt === drafts.length - 3 && plan.uncompared.length === 0 ? plan : undefined;
    });
    expect(planned).toMatchObject({ isApplied: false, isEnded: false, open: [{ kind: 'redeem', digest: unpaid.digest }] });
    const { rebuilt, booked } = planned;
    expect(await recover(world.ledger, { ...options, apply: true })).toMatchObject({ rebuilt, booked, isEnded: false });
    expect(await recover(world.ledger, { ...options, apply: true })).toMatchObject({ rebuilt: 0, booked: 0, legs: 0, openCount: 1 });
    await world.payOut();
    expect(bank.book()).toBeUndefined();
    // Its holder places it again.
    const { end: _, ...again } = unpaid;
    await inTransaction(world.ledger, (tx) => insertRedemption(tx, { ...again, id: randomUUID() }, 'by key'));
    expect(await recover(world.ledger, { ...options, apply: true })).toMatchObject({ isApplied: true, isEnded: true, open: [] });
    await settle();
    expect(await countOpenOutcomes(world.ledger)).toEqual([]);

    // The chains did nothing more, and each thing once.
    expect(await Promise.all(networks.map(readChain))).toEqual(before);
    const [chiado, sepolia] = before as [(typeof before)[number], (typeof before)[number]];
    const ended = (end: string) => drafts.filter((draft) => draft.end === end);
    expect(chiado.issued.toSorted()).toEqual(
      [
        ...(await Promise.all(credits.map((reference) => idOfCreditOrder(world.ledger, reference)))),
        ...ended('given back').map(({ id }) => id),
      ].toSorted(),
    );
    expect(sepolia.issued.toSorted()).toEqual(
      (await Promise.all(ended('on the other chain').map((draft) => idOfDependentOrder(world.ledger, draft)))).toSorted(),
    );
    expect(chiado.burnt.toSorted()).toEqual(drafts.map(({ digest }) => digest).toSorted());
    // The bank paid each payout and each return once.
    const paid = [
      ...ended('paid').map((draft) => payoutPaymentId(draft)),
      ...refusedCredits.map((reference) => returnPaymentId(reference, 0)),
    ];
    expect([...bank.booked.keys()].toSorted()).toEqual(paid.map(endToEndIdOf).toSorted());
    expect([...new Set(bank.booked.values())]).toEqual([1]);
    // The equation holds, and new money is issued.
    await credit(customer);
    await settle();
    const comparisons = await until('the book can be compared', () => compareBook(world.ledger, world.settings));
    expect(comparisons.filter(({ difference }) => difference !== 0n)).toEqual([]);
    const { rows: trial } = await sql`select coalesce(sum(amount), 0)::text as sum from postings`.execute(world.ledger);
    expect(trial).toEqual([{ sum: '0' }]);
    const problems = await ledgerProblems(world.ledger, boundsOf(world.settings, new Date()));
    expect(problems.map(({ kind }) => kind).filter((kind) => !ofCommonWorker.has(kind))).toEqual([]);
    expect((await readChain(networks[0] as TestNetwork)).issued.length).toBe(chiado.issued.length + 1);
  });
});
