import { Hono } from 'hono';
import { client } from 'ponder';
import { db } from 'ponder:api';
import schema from 'ponder:schema';
import { failAtOnce } from './query-failures.ts';
import { boundSql, refuseBrowsers } from './reader-limits.ts';
import { boundCaller, type ReaderPool, takeTurns } from './reader-turns.ts';

const api = new Hono();

// The process that indexes answers nobody: readers have a process of their own (src/workers/indexer/readers.ts).
const address = process.env.SERVES_READERS;
if (address) {
  const { graphql } = await import('ponder/graphql');
  failAtOnce(db);
  takeTurns((db as unknown as { $client: ReaderPool }).$client);
  api.use(refuseBrowsers(address));
  api.use(boundCaller(Number(process.env.TRUST_PROXY)));
  api.use(
    '/sql/*',
    boundSql((request) => api.request(request)),
    client({ db, schema }),
  );
  // Ponder's page for `GET` loads its scripts from another host.
  api.get('/graphql', (context) => context.text('Send a query by POST, as docs/indexed-data.md shows.', 405, { Allow: 'POST' }));
  api.post('/graphql', graphql({ db, schema }));
}

export default api;
