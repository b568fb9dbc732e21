import { Hono } from 'hono';
import { z } from 'zod';
import { summaryOf, writeProposal } from '../../chain/admin/proposal.ts';
import { writeSafeBatch } from '../../chain/admin/safe-batch-file.ts';
import { listHeartbeats } from '../../ledger/lanes/heartbeats.ts';
import { findSafeTransaction, listSafeTransactions } from '../../ledger/safes/safe-transactions.ts';
import { type Chain, chains } from '../../platform/chains.ts';
import { networkSettings } from '../../platform/settings.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { answerDownload } from '../http/download.ts';
import { validated } from '../http/validated.ts';
import { grantableRoles } from '../../operations/networks/change-input.ts';
import { followSafeTransactions } from './follow-safe-transactions.ts';
import { readNetworks, signersOf } from './network-overview.ts';
import { readNodeFacts } from './node-facts.ts';
import { proposalOf } from '../../operations/networks/proposal-of.ts';
import { detailed, listed } from './safe-transaction-view.ts';

const ofChain = validated('param', z.object({ chain: z.enum(chains as [Chain, ...Chain[]]) }));
const identified = validated('param', z.object({ id: z.uuid() }));

/** Transactions on a page. */
const pageSize = 50;

const caches = new WeakMap<object, ReturnType<typeof createNodeCache>>();

/** The networks, and the transactions of the Safes that administer their tokens. */
export const networkRoutes = new Hono<ConsoleEnv>()
  .get('/', async (context) => {
    const { ledger, settings } = context.var;
    return context.json({ networks: await readNetworks(ledger, settings), roles: [...grantableRoles.keys()] }, 200);
  })
  .get('/:chain/nodes', ofChain, async (context) => {
    const { ledger, settings } = context.var;
    const { chain } = context.req.valid('param');
    const network = networkSettings(settings, chain);
    const facts = await cacheOf(context.var)(`nodes ${chain}`, async () =>
      readNodeFacts(network, signersOf(await listHeartbeats(ledger), chain)),
    );
    return context.json(facts, 200);
  })
  .get(
    '/safe-transactions',
    validated('query', z.object({ state: z.enum(['open', 'all']).default('open'), after: z.uuid().optional() })),
    async (context) => {
      const { ledger } = context.var;
      const { state, after } = context.req.valid('query');
      const fates = await fatesOf(context.var);
      const records = await listSafeTransactions(ledger, { isOpen: state === 'open', after, limit: pageSize + 1 });
      const page = records.slice(0, pageSize);
      const next = records.length > pageSize ? page.at(-1)?.id : undefined;
      return context.json({ transactions: page.map((record) => listed(record, fates)), next }, 200);
    },
  )
  .get('/safe-transactions/:id', identified, async (context) => {
    const { ledger, settings } = context.var;
    const fates = await fatesOf(context.var);
    const record = await findSafeTransaction(ledger, context.req.valid('param').id);
    return context.json(await detailed(record, fates, settings), 200);
  })
  .get('/safe-transactions/:id/proposal', identified, async (context) => {
    const proposal = proposalOf(await findSafeTransaction(context.var.ledger, context.req.valid('param').id));
    return answerDownload(context, {
      name: `proposal-${proposal.transaction.nonce}.json`,
      type: 'application/json',
      content: writeProposal(proposal),
    });
  })
  .get('/safe-transactions/:id/safe-batch', identified, async (context) => {
    const record = await findSafeTransaction(context.var.ledger, context.req.valid('param').id);
    const proposal = proposalOf(record);
    const description = { name: 'Mintrail', description: summaryOf(proposal), createdAt: record.preparedAt };
    return answerDownload(context, {
      name: `safe-batch-${proposal.transaction.nonce}.json`,
      type: 'application/json',
      content: writeSafeBatch(proposal.transaction, description),
    });
  });

/** What the chains say, for all browsers together. */
function fatesOf(deps: ConsoleEnv['Variables']) {
  return cacheOf(deps)('safe transactions', () => followSafeTransactions(deps));
}

function cacheOf({ ledger }: ConsoleEnv['Variables']) {
  const cache = caches.get(ledger) ?? createNodeCache();
  caches.set(ledger, cache);
  return cache;
}

/** For so long, all browsers are shown the same reading of a network's nodes. */
const keptMs = 5_000;

/** Readings that are kept at most: one per network and question. */
const mostKept = 200;

/** Keeps what was read for some seconds; who asks meanwhile waits for the same reading. */
function createNodeCache() {
  const kept = new Map<string, { until: number; value: Promise<unknown> }>();
  return async function cached<T>(key: string, read: () => Promise<T>): Promise<T> {
    const present = kept.get(key);
    if (present && present.until > Date.now()) return present.value as Promise<T>;
    if (kept.size >= mostKept) kept.clear();
    const value = read();
    kept.set(key, { until: Date.now() + keptMs, value });
    // An outage is asked about again at once.
    value.catch(() => kept.delete(key));
    return value;
  };
}
