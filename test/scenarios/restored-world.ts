import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { inject } from 'vitest';
import { createRpc } from '../../src/chain/endpoints/rpc.ts';
import { outcomesOf } from '../../src/chain/token/outcome-logs.ts';
import { createIsoRail } from '../../src/bank/iso20022/pain/rail.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool } from '../../src/platform/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { loadSettings, type Settings } from '../../src/platform/settings.ts';
import { creditOptions } from '../../src/statements/credit-options.ts';
import { importBankFile } from '../../src/statements/import-file.ts';
import { runIndexer } from '../../src/workers/indexer/run-indexer.ts';
import { createPayoutTurn } from '../../src/workers/payouts.ts';
import { runChainWorker } from '../../src/workers/run-chain-worker.ts';
import { type EntrySpec, masterIban, statementXml } from '../bank/iso20022/camt/statement-xml.ts';
import { bytes } from '../statements/bank-rail.ts';
import type { TestNetwork } from '../support/chain/network.ts';

/** The service in this process: workers and indexers of two networks, and the bank's side by hand. */
export interface World {
  settings: Settings;
  ledger: Ledger;
  /** Hands payments that are due to the bank. */
  payOut(): Promise<unknown>;
  import(file: BankFile): Promise<void>;
  stop(): Promise<void>;
}

/** A file of the bank. */
export interface BankFile {
  name: string;
  xml: string;
}

/** Starts it on a database. `outbox` is the folder of its payment files. */
export async function startWorld(databaseUrl: string, networks: readonly TestNetwork[], outbox: string): Promise<World> {
  const settings = loadSettings({
    ...Object.assign({}, ...networks.map(({ env }) => env)),
    DATABASE_URL: databaseUrl,
    BANK_RAIL: 'iso20022',
    BANK_OUTBOX: outbox,
    BANK_ACCOUNT: masterIban,
    BANK_ACCOUNT_NAME: 'Mintrail ehf.',
    BANK_BIC: 'MNTRIS22',
    BANK_FILE_SECONDS: '0',
  });
  const ledger = createLedger(createPool({ connectionString: databaseUrl }), wakesNobody);
  const chains = ['chiado', 'sepolia'] as const;
  const parts = await Promise.all(chains.flatMap((chain) => [runChainWorker(settings, chain), runIndexer(settings, chain)]));
  const options = creditOptions(settings);
  return {
    settings,
    ledger,
    payOut: createPayoutTurn({ rail: createIsoRail(settings), ledger, log: createLog('silent') }),
    async import({ name, xml }) {
      await importBankFile(ledger, { name, chunks: bytes(xml), options });
    },
    async stop() {
      await Promise.all(parts.map((part) => part.close()));
      await ledger.destroy();
    },
  };
}

/** A bank: it books what it finds in the outbox, once for each EndToEndId, and keeps all its files. */
export interface Bank {
  outbox: string;
  files: BankFile[];
  /** How often each EndToEndId was booked. */
  booked: Map<string, number>;
  /** A statement with credits. */
  credit(entries: readonly EntrySpec[]): BankFile;
  /** Books the payments of the files that are new, and returns the statement; undefined without any. */
  book(): BankFile | undefined;
  remove(): void;
}

export function openBank(): Bank {
  const outbox = mkdtempSync(path.join(tmpdir(), 'mintrail-outbox-'));
  const files: BankFile[] = [];
  const booked = new Map<string, number>();
  const seen = new Set<string>();
  const add = (entries: readonly EntrySpec[]): BankFile => {
    const file = { name: `statement-${files.length}.xml`, xml: statementXml({ id: `S${files.length}`, entries: [...entries] }) };
    files.push(file);
    return file;
  };
  return {
    outbox,
    files,
    booked,
    credit: add,
    book() {
      const entries: EntrySpec[] = [];
      for (const name of readdirSync(outbox).filter((file) => !seen.has(file) && file.endsWith('.xml'))) {
        seen.add(name);
        for (const [, id = '', amount = ''] of readFileSync(path.join(outbox, name), 'utf8').matchAll(
          /<EndToEndId>(\w+)<\/EndToEndId>.*?<InstdAmt Ccy="EUR">([\d.]+)</gs,
        )) {
          booked.set(id, (booked.get(id) ?? 0) + 1);
          const transactions = [{ refs: { EndToEndId: id }, amount }];
          entries.push({ amount, direction: 'DBIT', reference: `D${booked.size}-${booked.get(id)}`, code: ['ICDT', 'ESCT'], transactions });
        }
      }
      return entries.length === 0 ? undefined : add(entries);
    },
    remove: () => rmSync(outbox, { recursive: true, force: true }),
  };
}

/** A copy of a database that nobody uses now: a back-up of it, to the byte. */
export async function copyDatabase(url: string, name: string): Promise<string> {
  const server = new URL(inject('templateUrl'));
  const source = new URL(url).pathname.slice(1);
  server.pathname = '/postgres';
  const client = new Client({ connectionString: server.href });
  await client.connect();
  await client.query(`create database ${name} template ${source} strategy file_copy`);
  await client.end();
  server.pathname = `/${name}`;
  return server.href;
}

/** What the token contracts of a network did: order ids of what was issued, digests of what was burnt. */
export async function readChain({ settings }: TestNetwork): Promise<{ issued: string[]; burnt: string[] }> {
  const [network] = Object.values(settings.networks);
  if (network === undefined) throw new Error('no network');
  const tokens = Object.values(network.tokens);
  const outcomes = outcomesOf(await createRpc(network).getLogs({ address: tokens, fromBlock: 0n, toBlock: 'latest' }));
  const carriedOut = outcomes.filter(({ refusal }) => refusal === null);
  return {
    issued: carriedOut.filter(({ kind }) => kind === 'issue').map(({ orderId }) => orderId),
    burnt: carriedOut.flatMap(({ messageHash }) => messageHash ?? []),
  };
}
