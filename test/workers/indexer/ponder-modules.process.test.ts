import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const preloaded = new URL('../../../src/workers/indexer/ponder-modules.ts', import.meta.url).href;
const ponder = fileURLToPath(import.meta.resolve('ponder'));

/** What Ponder's process would load, as a module asks for it that is in Ponder's folder. */
async function load(env: Record<string, string> = {}) {
  const script = `
    import { ViteNodeServer } from 'vite-node/server';
    import { version } from 'vite';
    import { createConfig, graphql } from 'ponder';
    const isExternal = (file) => new ViteNodeServer({ config: { root: '/', cacheDir: '/.vite' } }, {}).shouldExternalize(file);
    const external = [${JSON.stringify(ponder)}, ${JSON.stringify(fileURLToPath(preloaded))}].map(isExternal);
    console.log(JSON.stringify({ version, external: await Promise.all(external), kinds: [typeof createConfig, typeof graphql] }));`;
  const options = ['--import', preloaded, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, options, { env: { PATH: process.env['PATH'], ...env } });
  return JSON.parse(stdout) as { version: string; external: (string | false)[]; kinds: string[] };
}

it("loads Ponder's libraries by Node and its own Vite alone, and leaves GraphQL to the process that serves readers", async () => {
  const vite = createRequire(ponder).resolve('vite/package.json');
  const { version } = JSON.parse(readFileSync(vite, 'utf8')) as { version: string };
  expect(await load()).toEqual({ version, external: [ponder, false], kinds: ['function', 'undefined'] });
  expect(await load({ SERVES_READERS: 'yes' })).toMatchObject({ kinds: ['function', 'function'] });
});
