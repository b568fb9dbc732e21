// Loaded into Ponder's process before Ponder (`--import`). Ponder takes every library that it finds in a folder `esm` for one that Node cannot load, itself
// among them: it transforms 400 files at each start, and holds them twice. It has no setting for that.
import http from 'node:http';
import { registerHooks } from 'node:module';
import { readIndexedNetwork } from '../../indexed/indexed-network.ts';

const ponder = import.meta.resolve('ponder');

/** Libraries of which Ponder's own version is used. One of its plugins would load another Vite, with its compiler. */
const ofPonder = new Set(['vite', 'vite-node/server']);

/** Who asks it for GraphQL has a process of its own (`readers.ts`). */
const servesReaders = process.env.SERVES_READERS !== undefined;

/** It looks the network up by its id in those that viem knows, 700 modules, and takes from what it has found how many blocks are not final. */
const { chainId } = readIndexedNetwork();
const chains = `data:text/javascript,export const network = { id: ${chainId}, rpcUrls: { default: { http: [] } } }`;

/** At each import of one of its 400 files Node reads the description of this package, 170 KB: half of the processor time that Ponder takes to load. */
const isOfDrizzle = /\/node_modules\/drizzle-orm\//;
const partsOfDrizzle = new Map<string, string>();

registerHooks({
  resolve(specifier, context, next) {
    if (/^\..*\.js$/.test(specifier) && isOfDrizzle.test(context.parentURL ?? ''))
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
    if (/^drizzle-orm(\/|$)/.test(specifier)) {
      const url = partsOfDrizzle.get(specifier) ?? next(specifier, context).url;
      partsOfDrizzle.set(specifier, url);
      return { url, format: 'module', shortCircuit: true };
    }
    if (specifier === 'viem/chains') return next(chains, context);
    if (ofPonder.has(specifier)) return next(specifier, { ...context, parentURL: ponder });
    if (!servesReaders && specifier === './graphql/middleware.js' && context.parentURL === ponder)
      return next('data:text/javascript,export const graphql = undefined', context);
    return next(specifier, context);
  },
});

const { shouldExternalize, ViteNodeServer } = await import('vite-node/server');
ViteNodeServer.prototype.shouldExternalize = async function (id) {
  return /\/node_modules\/.*\.js$/.test(id) ? id : shouldExternalize(id);
};

/** What readers may ask for, as docs/indexed-data.md has it. Ponder would also serve its metrics, before an application can refuse them. */
const pathsOfReaders = new Set(['/sql/db', '/sql/live', '/graphql', '/ready', '/status']);

if (servesReaders) {
  const { createServer } = http;
  http.createServer = ((options: http.ServerOptions, answer: http.RequestListener) =>
    createServer(options, (request, response) => {
      if (pathsOfReaders.has(request.url?.split('?')[0] ?? '')) return answer(request, response);
      return response.writeHead(404).end();
    })) as typeof createServer;
}
