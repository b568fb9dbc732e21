import type { Api, ApiDependencies } from '../api.ts';
import { type Asset, ownAsset, packageAsset, serveAsset, textAsset } from './assets.ts';
import { describeApi } from './document.ts';
import { listGuides, renderGuide } from './guides.ts';
import { guidePolicy, page, referencePolicy } from './page.ts';

/** How long browsers keep what the pages load. */
const assetCaching = { 'Cache-Control': 'public, max-age=3600' };

const javascript = 'text/javascript; charset=utf-8';

/**
 * `GET /openapi.json`, the description of the API, and the pages that show it: the reference at `/docs`, guides below `/docs/guides`
 * (docs/api.md, Welcome). The pages load nothing from other hosts.
 */
export function addDocs(api: Api, { settings }: ApiDependencies): void {
  addDescription(api, settings);
  const assets: Record<string, Asset> = {
    'reader.js': packageAsset('@scalar/api-reference', 'browser/standalone.js', javascript),
    'storage.js': ownAsset('storage.js', javascript),
    'start.js': textAsset(startScript(settings), javascript),
    'pages.css': ownAsset('pages.css', 'text/css; charset=utf-8'),
    'favicon.svg': ownAsset('favicon.svg', 'image/svg+xml'),
  };
  for (const [name, asset] of Object.entries(assets)) api.get(`/docs/${name}`, (context) => serveAsset(context, asset, assetCaching));

  const guides = listGuides();
  const policy = referencePolicy(settings);
  const reference = page({
    title: `${settings.serviceName} API`,
    serviceName: settings.serviceName,
    root: '.',
    guides,
    body: '<div id="reference"></div>',
    scripts: ['storage.js', 'reader.js', 'start.js'],
  });
  api.get('/docs', (context) => context.html(reference, 200, { 'Content-Security-Policy': policy }));
  for (const guide of guides) {
    let html: string | undefined;
    api.get(`/docs/guides/${guide.name}`, (context) => {
      html ??= page({
        title: `${guide.title} · ${settings.serviceName}`,
        serviceName: settings.serviceName,
        root: '../..',
        guides,
        current: guide.name,
        body: renderGuide(guide.name),
      });
      return context.html(html, 200, { 'Content-Security-Policy': guidePolicy });
    });
  }
}

function addDescription(api: Api, settings: ApiDependencies['settings']): void {
  let document: string | undefined;
  api.get('/openapi.json', (context) => {
    document ??= JSON.stringify(describeApi(api, settings));
    // It is the same for everybody, and the page of the reference has an origin of its own (see page.ts).
    return context.body(document, 200, { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' });
  });
}

/** Starts the reader without telemetry, proxy, fonts or services of its maker. Only the sandbox sends requests from the page. */
function startScript({ environment }: ApiDependencies['settings']): string {
  const options = {
    telemetry: false,
    withDefaultFonts: false,
    proxyUrl: '',
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    hideTestRequestButton: environment !== 'sandbox',
    persistAuth: false,
    authentication: { preferredSecurityScheme: 'bearer' },
    documentDownloadType: 'json',
    operationTitleSource: 'summary',
    defaultOpenFirstTag: false,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    favicon: 'docs/favicon.svg',
  };
  return `Scalar.createApiReference('#reference', { ...${JSON.stringify(options)}, url: new URL('openapi.json', document.baseURI).href });\n`;
}
