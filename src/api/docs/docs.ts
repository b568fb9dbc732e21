import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { raw } from 'hono/html';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { baseUrl } from '../../platform/settings.ts';
import type { Api, ApiDependencies, ApiEnv } from '../api.ts';
import { notFound } from '../http/errors.ts';
import { requireSameMachine } from '../http/same-machine.ts';
import { describeApi } from './document.ts';
import { listGuides, renderGuide } from './guides.ts';
import type { ApiDocument } from './openapi.ts';
import { page, pagePolicy } from './page.ts';
import { listChapters, renderReference } from './reference.ts';
import { searchIndex } from './search-index.ts';

/** How long browsers keep what the pages load. */
const assetCaching = { 'Cache-Control': 'public, max-age=3600' };

const javascript = 'text/javascript; charset=utf-8';
const htmlType = 'text/html; charset=utf-8';

/**
 * `GET /openapi.json`, the description of the API, and the pages that show it: the reference at `/docs`, guides below `/docs/guides`
 * (docs/api.md, Welcome). They are made when they are first asked for, and load nothing from other hosts.
 */
export function addDocs(api: Api, { settings }: ApiDependencies): void {
  let described: ApiDocument | undefined;
  const describe = (): ApiDocument => (described ??= describeApi(api, settings));
  const { serviceName, environment } = settings;
  const isSandbox = environment === 'sandbox';
  const guides = listGuides();
  const shared = () => ({ serviceName, guides, chapters: listChapters(describe()) });

  const serve = (path: string, asset: Asset, headers: Record<string, string>): void =>
    void api.get(path, (context) => serveAsset(context, asset, headers));
  serve(
    '/openapi.json',
    textAsset(() => JSON.stringify(describe()), 'application/json'),
    {},
  );
  serve(
    '/docs/search.json',
    textAsset(() => JSON.stringify(searchIndex(describe(), guides)), 'application/json'),
    assetCaching,
  );
  for (const name of ['pages.js', 'try-it.js']) serve(`/docs/${name}`, ownAsset(name, javascript), assetCaching);
  serve('/docs/pages.css', ownAsset('pages.css', 'text/css; charset=utf-8'), assetCaching);
  serve('/docs/favicon.svg', ownAsset('favicon.svg', 'image/svg+xml'), assetCaching);

  const headers = { 'Content-Security-Policy': pagePolicy };
  const reference = () =>
    page({
      ...shared(),
      title: `${serviceName} API`,
      root: '.',
      body: renderReference(describe(), isSandbox),
      scripts: isSandbox ? ['try-it.js'] : [],
    });
  serve('/docs', textAsset(reference, htmlType), headers);
  for (const { name, title } of guides) {
    const guide = () =>
      page({
        ...shared(),
        title: `${title} · ${serviceName}`,
        root: '../..',
        guide: name,
        body: raw(renderGuide(name, baseUrl(settings))),
      });
    serve(`/docs/guides/${name}`, textAsset(guide, htmlType), headers);
  }
  api.get('/docs/', (context) => context.redirect('../docs', 308));
  addSandboxCredentials(api, settings);
}

const compress = promisify(gzip);

/** A file that pages load. It is read and compressed once, when it is first asked for. */
interface Asset {
  type: string;
  load: () => Promise<{ plain: Buffer<ArrayBuffer>; compressed: Buffer<ArrayBuffer> }>;
}

/** A file of `src/api/docs/assets`. */
function ownAsset(name: string, type: string): Asset {
  return asset(type, () => readFile(new URL(`assets/${name}`, import.meta.url)));
}

/** A text that is made when it is first asked for. */
function textAsset(make: () => string | Promise<string>, type: string): Asset {
  return asset(type, async () => Buffer.from(await make()));
}

function asset(type: string, read: () => Promise<Buffer>): Asset {
  let content: ReturnType<Asset['load']> | undefined;
  const load: Asset['load'] = async () => {
    const plain = Buffer.from(await read());
    return { plain, compressed: Buffer.from(await compress(plain)) };
  };
  return { type, load: () => (content ??= load()) };
}

/** Answers with a file, compressed where the client takes that. */
async function serveAsset(context: Context<ApiEnv>, { type, load }: Asset, headers: Record<string, string>): Promise<Response> {
  const { plain, compressed } = await load();
  const all = { ...headers, 'Content-Type': type, Vary: 'Accept-Encoding' };
  const takesGzip = /\bgzip\b/.test(context.req.header('Accept-Encoding') ?? '');
  return takesGzip ? context.body(compressed, 200, { ...all, 'Content-Encoding': 'gzip' }) : context.body(plain, 200, all);
}

const credentialsSchema = z.object({ clientId: z.string(), clientSecret: z.string() });
const sandboxFileSchema = z.object({ applications: z.object({ private: credentialsSchema, whitelabel: credentialsSchema }) });

/**
 * `GET /docs/credentials`: those of the sandbox's applications, with which the reference sends requests (docs/sandbox.md, Applications). Callers
 * on the same machine alone get them: the money is fake, but not theirs.
 */
function addSandboxCredentials(api: Api, { environment, dataDir }: ApiDependencies['settings']): void {
  if (environment !== 'sandbox') return;
  api.get('/docs/credentials', async (context) => {
    requireSameMachine(context);
    const text = await readFile(path.resolve(dataDir, 'sandbox.json'), 'utf8').catch(() => undefined);
    if (text === undefined) throw notFound('This sandbox has no applications of its own');
    return context.json(sandboxFileSchema.parse(JSON.parse(text)).applications);
  });
}
