import { raw } from 'hono/html';
import { baseUrl } from '../../platform/settings.ts';
import type { Api, ApiDependencies } from '../api.ts';
import { type Asset, ownAsset, serveAsset, textAsset } from './assets.ts';
import { describeApi } from './document.ts';
import { listGuides, renderGuide } from './guides.ts';
import type { ApiDocument } from './openapi.ts';
import { page, pagePolicy } from './page.ts';
import { listChapters, renderReference } from './reference.ts';
import { addSandboxCredentials } from './sandbox-credentials.ts';
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
