import { fileURLToPath } from 'node:url';

/** In this clone the client is its source; elsewhere it is the package of client/README.md. */
export default {
  resolve: { alias: { 'mintrail-client': fileURLToPath(new URL('../../client/index.ts', import.meta.url)) } },
  server: { host: '127.0.0.1', port: 5173, strictPort: true },
  build: { target: 'es2022' },
};
