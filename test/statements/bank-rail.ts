import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { createPool } from '../../src/platform/database.ts';
import { StopError } from '../../src/platform/errors.ts';
import type { StatementFile } from '../../src/statements/file-report.ts';
import { importBankFile } from '../../src/statements/import-file.ts';
import type { StatementReport } from '../../src/statements/statement-report.ts';
import { type StatementSpec, statementXml, type TransactionSpec } from '../bank/iso20022/camt/statement-xml.ts';
import { createCustomer, newCustomer, type TestCustomer } from '../support/customer.ts';
import { nameTestDatabase } from '../support/database.ts';
import { emptyLedger } from '../support/test-ledger.ts';

/** A ledger with one customer, into which bank files are imported. */
export interface TestRail {
  ledger: Ledger;
  url: string;
  customer: TestCustomer;
  /** Queues that were woken. */
  woken: string[];
  import(file: string | StatementSpec, more?: Partial<StatementFile>): Promise<StatementReport>;
  /** The error that refuses a file. */
  refusalOf(file: string): Promise<StopError>;
  /** Removes all but the customer. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export const creditOptions = { defaultMemo: 'Powered by Mintrail', tokens: ['chiado:eur'] };

/** The rail of a test file: emptied before each test, unless they share its rows (`isShared`). */
export function testRail({ isShared = false } = {}): TestRail {
  const rail = nameTestRail();
  beforeAll(() => rail.create());
  if (!isShared) beforeEach(() => rail.empty());
  afterAll(() => rail.close());
  return rail;
}

export async function createTestRail(): Promise<TestRail> {
  const rail = nameTestRail();
  await rail.create();
  return rail;
}

function nameTestRail(): TestRail & { create(): Promise<void> } {
  const database = nameTestDatabase();
  const pool = createPool({ connectionString: database.url });
  // A connection that ends between two statements of a transaction tells it by an event, besides failing the next statement.
  pool.on('connect', (client) => client.on('error', () => {}));
  const woken: string[] = [];
  const ledger = createLedger(pool, { wake: (queue) => void woken.push(queue) });
  // The IBAN is the same in every run: it is compared with others, and may decide between equals.
  const customer = newCustomer(1);
  const importFile: TestRail['import'] = async (file, more) => {
    const report = await importBankFile(ledger, {
      name: 'statement.xml',
      chunks: bytes(typeof file === 'string' ? file : statementXml(file)),
      options: creditOptions,
      ...more,
    });
    return report as StatementReport;
  };
  return {
    ledger,
    url: database.url,
    customer,
    woken,
    import: importFile,
    async refusalOf(file) {
      const error: unknown = await importFile(file).catch((thrown: unknown) => thrown);
      if (error instanceof StopError) return error;
      throw new Error(`the file was not refused: ${JSON.stringify(error)}`);
    },
    async create() {
      await database.create();
      await createCustomer(ledger, 'chiado', customer);
    },
    async empty() {
      await emptyLedger(ledger);
      await createCustomer(ledger, 'chiado', customer);
      woken.length = 0;
    },
    async close() {
      await ledger.destroy();
      await database.drop();
    },
  };
}

export async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.from(text);
  for (let start = 0; start < buffer.length; start += 4096) yield buffer.subarray(start, start + 4096);
}

/** A payment to the customer. */
export function payment(iban: string, amount: string, more: Partial<TransactionSpec> = {}): TransactionSpec {
  return { amount, creditorIban: iban, payer: { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' }, ...more };
}

/** A statement of so many payments of 1.00, each an entry of its own. */
export function manyPayments(iban: string, count: number, refs: Record<string, string> = {}): string {
  const entries = Array.from({ length: count }, (_, number) => ({
    amount: '1.00',
    reference: `N${number}`,
    transactions: [payment(iban, '1.00', { refs })],
  }));
  return statementXml({ entries });
}

/** All that imports can change, without what differs from run to run. */
export async function contents(ledger: Ledger) {
  const credits = await ledger
    .selectFrom('credits')
    .where('state', 'not in', ['replaced', 'repeated'])
    .orderBy('reference')
    .select(['reference', 'iban', 'amount', 'currency', 'state', 'reason'])
    .execute();
  const orders = await ledger
    .selectFrom('orders')
    .innerJoin('credits', 'credits.orderId', 'orders.id')
    .orderBy('credits.reference')
    .select(['credits.reference', 'orders.amount', 'orders.currency', 'orders.address', 'orders.memo', 'orders.state'])
    .execute();
  const count = (table: 'orders' | 'legs' | 'events') =>
    ledger
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<bigint>().as('count'))
      .executeTakeFirstOrThrow();
  const counts = await Promise.all([count('orders'), count('legs'), count('events')]);
  return { credits, orders, counts: counts.map((row) => Number(row.count)) };
}

/** What the ledger holds of money, in a few words each: `E 30.00 eur matched`. */
export async function money(ledger: Ledger): Promise<string[]> {
  const { credits } = await contents(ledger);
  return credits.map(({ reference, amount, state }) => `${reference.replace(/^.*:/, '')} ${amount ?? '?'} ${state}`);
}
