import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { privateKeyToAccount } from 'viem/accounts';
import { type Chain, linkMessage, paymentMessage, type Schemas } from '../client/index.ts';
import type { BenchSandbox } from './sandbox.ts';

/** Minutes of use, and of rest after them, in turns: somebody who works with a sandbox stops now and then. */
export const rhythm = { use: 25, rest: 5 };

/** Between two orders. */
export const pauseMs = 3_000;

/** An order that is not at its end by then has failed. */
const orderTimeoutMs = 120_000;

const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
const details = { name: payer.name, country: 'IS' };

/** Orders that reached `processed`, and what went wrong with others, by how often. */
export interface UseSoFar {
  processed: number;
  /** Milliseconds from the order to the answer that it is processed, of those since the last look. */
  latencies: number[];
  failures: Map<string, number>;
}

/** Customers' ordinary use of a sandbox, while it goes on. */
export interface OrdinaryUse {
  soFar: UseSoFar;
  /** Returns when the last order has ended. */
  stop(): Promise<void>;
}

/** Begins to order and read, on each network after the other. What fails is counted, and the next follows. */
export function startUse(sandbox: BenchSandbox): OrdinaryUse {
  const soFar: UseSoFar = { processed: 0, latencies: [], failures: new Map() };
  const closing = new AbortController();
  const { signal } = closing;
  const done = use(sandbox, soFar, signal);
  return {
    soFar,
    async stop() {
      closing.abort();
      await done;
    },
  };
}

type Step = (chain: Chain, next: Chain) => Promise<void>;

async function use(sandbox: BenchSandbox, soFar: UseSoFar, signal: AbortSignal): Promise<void> {
  const { link, steps } = stepsOf(sandbox, soFar);
  const chains = Object.keys(sandbox.file.chains) as Chain[];
  const beganAt = Date.now();
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    await action().catch((error: unknown) => count(soFar.failures, error));
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  };
  for (const chain of chains) await attempt(() => link(chain));
  for (let turn = 0; !signal.aborted; turn += 1) {
    const minute = ((Date.now() - beganAt) / 60_000) % (rhythm.use + rhythm.rest);
    const [chain, next] = [turn, turn + 1].map((index) => chains[index % chains.length]) as [Chain, Chain];
    for (const step of minute < rhythm.use ? steps : []) if (!signal.aborted) await attempt(() => step(chain, next));
    if (minute >= rhythm.use) await attempt(() => Promise.resolve());
  }
}

/** What a customer does, as the demo does it: is paid, looks at the money, pays, and sends money to another network. */
function stepsOf({ client, file, iban }: BenchSandbox, soFar: UseSoFar): { link: (chain: Chain) => Promise<void>; steps: Step[] } {
  const account = privateKeyToAccount(file.accounts[0]?.privateKey as `0x${string}`);
  const { address } = account;

  const processed = async (orderId: string): Promise<void> => {
    const begun = performance.now();
    for (const deadline = begun + orderTimeoutMs; ; await delay(100)) {
      const { state, meta } = await client.get('/orders/{orderId}', { path: { orderId } });
      if (state === 'rejected') throw new Error(`rejected: ${meta.rejectedReason}`);
      if (state === 'processed') break;
      if (performance.now() > deadline) throw new Error(`not processed in ${orderTimeoutMs / 1_000} s`);
    }
    soFar.processed += 1;
    soFar.latencies.push(performance.now() - begun);
  };

  const redeem = async (chain: Chain, amount: string, identifier: Schemas['CounterpartRequest']['identifier']): Promise<void> => {
    const to = identifier.standard === 'iban' ? { iban: identifier.iban } : { address: identifier.address, chain: identifier.chain };
    const message = paymentMessage({ currency: 'eur', amount, to });
    const signature = await account.signMessage({ message });
    const counterpart = identifier.standard === 'iban' ? { identifier, details } : { identifier };
    const id = randomUUID();
    await client.post('/orders', {
      body: { id, kind: 'redeem', address, chain, currency: 'eur', amount, counterpart, message, signature },
    });
    await processed(id);
  };

  return {
    async link(chain) {
      const signature = await account.signMessage({ message: linkMessage });
      await client.post('/addresses', { body: { address, chain, message: linkMessage, signature } });
    },
    steps: [
      async (chain) => {
        const credit = { iban, amount: '10.00', currency: 'eur' as const, payer, remittance: `${chain}:${address}` };
        const { order } = await client.post('/sandbox/credits', { body: credit });
        await processed(order?.id ?? '');
      },
      async (chain) => {
        await client.get('/balances/{chain}/{address}', { path: { chain, address }, query: { currency: ['eur'] } });
        await client.get('/orders');
      },
      (chain) => redeem(chain, '3.00', { standard: 'iban', iban: payer.iban }),
      (chain, next) => redeem(chain, '2.00', { standard: 'chain', address, chain: next }),
    ],
  };
}

function count(failures: Map<string, number>, error: unknown): void {
  const what = String(error).slice(0, 120);
  failures.set(what, (failures.get(what) ?? 0) + 1);
}
