import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Api, ApiDependencies } from '../api.ts';
import { describeApi } from './document.ts';

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = (title: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="icon" href="docs/favicon-32x32.png">
  </head>
  <body>
    <div id="page"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const startScript = `SwaggerUIBundle({ url: new URL('openapi.json', document.baseURI).href, dom_id: '#page', deepLinking: true, validatorUrl: null });\n`;

const assets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const;

/** `GET /docs` and `GET /openapi.json`: the API's documentation. Its page loads nothing from other hosts. */
export function addDocs(api: Api, { settings }: ApiDependencies): void {
  const { resolve } = createRequire(import.meta.url);
  for (const [name, type] of Object.entries(assets)) {
    let content: Buffer<ArrayBuffer> | undefined;
    api.get(`/docs/${name}`, (context) => {
      content ??= Buffer.from(readFileSync(resolve(`swagger-ui-dist/${name}`)));
      return context.body(content, 200, { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' });
    });
  }
  api.get('/docs/start.js', (context) => context.body(startScript, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }));
  const html = page(`${escapeHtml(settings.serviceName)} API`);
  api.get('/docs', (context) => context.html(html, 200, { 'Content-Security-Policy': contentSecurityPolicy }));

  let document: string | undefined;
  api.get('/openapi.json', (context) => {
    document ??= JSON.stringify(describeApi(api, settings));
    return context.body(document, 200, { 'Content-Type': 'application/json' });
  });
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
