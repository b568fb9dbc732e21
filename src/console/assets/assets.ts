import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { withPageHeaders } from './page-headers.ts';

/** Types of the files that the build makes. */
const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** A file of the bundle, without any folder of its own: no name leads out of it. */
const fileName = /^[\w-][\w.-]*$/;

/** The pages: files whose names have a hash of their content, and one document for every address. */
export const assets = new Hono<ConsoleEnv>()
  .use(compress())
  // Another content has another name.
  .get('/assets/:file', (context) => readAsset(context, `assets/${context.req.param('file')}`, 'public, max-age=31536000, immutable'))
  .get('/:file{[\\w-]+\\.(svg|png|json)}', (context) => readAsset(context, context.req.param('file'), 'public, max-age=3600'))
  .get('*', async (context) => {
    if (context.req.path.startsWith('/api/')) throw missing(context);
    const page = await readFile(path.join(context.var.bundle, 'index.html'), 'utf8').catch(() => undefined);
    if (page === undefined) return context.text(notBuilt, 503);
    const nonce = randomBytes(16).toString('base64url');
    withPageHeaders(context, nonce);
    return context.html(withNonce(page, nonce));
  });

const notBuilt = `The pages of the console are not built.

In a clone the console builds them when it starts, within a minute: then this page works. If it does not, npm run build:console says why.
`;

/** The document with a nonce in each of its scripts and style sheets, and where the pages find it for styles that they add. */
function withNonce(page: string, nonce: string): string {
  return page
    .replaceAll(/<(script|style|link rel="(?:stylesheet|modulepreload)")(?=[\s>])/g, `<$1 nonce="${nonce}"`)
    .replace('</head>', `<meta property="csp-nonce" nonce="${nonce}" /></head>`);
}

async function readAsset(context: Context<ConsoleEnv>, file: string, caching: string): Promise<Response> {
  const type = contentTypes[path.extname(file)];
  if (type === undefined || !fileName.test(path.posix.basename(file)) || !/^(assets\/)?[^/]+$/.test(file)) throw missing(context);
  const content = await readFile(path.join(context.var.bundle, file)).catch(() => undefined);
  if (content === undefined) throw missing(context);
  context.header('Content-Type', type);
  context.header('Cache-Control', caching);
  return context.body(new Uint8Array(content));
}

function missing({ req }: Context<ConsoleEnv>): StopError {
  return new StopError({ code: 'not_found', message: `There is no ${req.path}` });
}
