import { fileURLToPath } from 'node:url';

/** In this clone the client is its source; elsewhere it is the package that `npm run package` builds. */
export default {
  resolve: { alias: { 'mintrail/client': fileURLToPath(new URL('../../src/client/index.ts', import.meta.url)) } },
  server: { host: '127.0.0.1', port: 5173, strictPort: true },
  build: { target: 'es2022' },
};
