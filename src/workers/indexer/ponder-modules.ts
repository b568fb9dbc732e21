// What Ponder's process loads in the place of other modules. Ponder has no settings for that.
import http from 'node:http';
import { registerHooks } from 'node:module';
import { readIndexedNetwork } from '../../indexed/indexed-network.ts';

/** Parts of Ponder that its package keeps to itself. */
const parts: Partial<Record<string, string>> = {
  'ponder/start': 'bin/commands/start.js',
  'ponder/serve': 'bin/commands/serve.js',
  'ponder/graphql': 'graphql/middleware.js',
};

/** Where such a part stands; undefined of anything else. */
export function partOfPonder(specifier: string): string | undefined {
  const file = parts[specifier];
  return file && new URL(file, import.meta.resolve('ponder')).href;
}

/** What Ponder imports and is given another module for, when it runs. */
export const replacedModules = /^(?:vite$|vite-|viem\/chains$|ponder:)/;

/** Ponder imports GraphQL with all else. Who is asked for it imports it by itself. */
export const withoutGraphql: Partial<Record<string, string>> = {
  './graphql/middleware.js': 'data:text/javascript,export const graphql = undefined',
};

/** Takes effect for all that this process loads afterwards. */
export function replaceModules(): void {
  const files = new URL('./native-modules.ts', import.meta.url).href;
  // It looks the network up by its id in those that viem knows, 700 modules, and takes from what it has found how many blocks are not final.
  const { chainId } = readIndexedNetwork();
  const chains = `data:text/javascript,export const network = { id: ${chainId}, rpcUrls: { default: { http: [] } } }`;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'viem/chains') return next(chains, context);
      if (/^vite($|-)/.test(specifier)) return next(files, context);
      return next(withoutGraphql[specifier] ?? partOfPonder(specifier) ?? specifier, context);
    },
  });
  if (process.env.SERVES_READERS !== undefined) serveReaders();
}

/** What readers may ask for, as docs/indexed-data.md has it. Ponder would also serve its metrics, before an application can refuse them. */
const pathsOfReaders = new Set(['/sql/db', '/sql/live', '/graphql', '/ready', '/status']);

function serveReaders(): void {
  const { createServer } = http;
  http.createServer = ((options: http.ServerOptions, answer: http.RequestListener) =>
    createServer(options, (request, response) => {
      if (pathsOfReaders.has(request.url?.split('?')[0] ?? '')) return answer(request, response);
      return response.writeHead(404).end();
    })) as typeof createServer;
}
