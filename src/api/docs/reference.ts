import { html } from 'hono/html';
import { errorCatalogue } from '../../platform/error-catalogue.ts';
import type { ErrorCode } from '../../platform/error-catalogue.ts';
import { callSamples, type Route } from './call-samples.ts';
import { errorsHeading, ownErrors } from './document.ts';
import { renderBody, renderFields, type Schemas } from './fields.ts';
import { renderDescription } from './markdown.ts';
import type { Answer, ApiDocument } from './openapi.ts';
import type { Html } from '../http/html.ts';
import { renderTryIt } from './try-it.ts';

/** A heading of the reference with its operations. */
export interface Chapter {
  name: string;
  /** Fragment of its address. */
  id: string;
  description: string;
  routes: Route[];
}

/** The operations under the headings of the document, in its order. */
export function listChapters({ tags, paths }: ApiDocument): Chapter[] {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  return tags.map(({ name, description }) => {
    const id = name.toLowerCase().replaceAll(' ', '-');
    return { name, id, description, routes: routes.filter(({ operation }) => operation.tags.includes(name)) };
  });
}

/** The reference: what holds for all operations, then each of them. In a sandbox each can be tried. */
export function renderReference(document: ApiDocument, isSandbox: boolean): Html {
  const { info, components } = document;
  const baseUrl = document.servers[0]?.url ?? '';
  return html`<main>
    <section class="about">
      <h1>${info.title}</h1>
      ${renderDescription(info.description)}
      <h2 id="first-call">The first call</h2>
      <p>
        An application’s credentials get an access token, which is valid for an hour. <code>mintrail-client</code> is the API in TypeScript,
        and gets tokens by itself: the operator of the service builds its package by <code>npm run package</code>. Other clients are
        generated from <a href="./openapi.json">openapi.json</a>; the request for a token is a form, so such a client is told its
        <code>Content-Type: application/x-www-form-urlencoded</code>. The zod validators of hey-api are for answers,
        <code>validator: { response: 'zod' }</code>: those of requests take every file for a text. The guide
        <a href="./docs/guides/treasury">Treasury</a> leads from an address to a payment.
      </p>
      ${renderSamples('first-call', firstCall(baseUrl))}
    </section>
    ${listChapters(document).map((chapter) => renderChapter(chapter, baseUrl, components.schemas, isSandbox))}
  </main>`;
}

const firstCall = (baseUrl: string) => ({
  client: `import { createClient } from 'mintrail-client';

const mintrail = createClient({ baseUrl: '${baseUrl}', clientId: '…', clientSecret: '…' });
const { defaultProfile } = await mintrail.get('/auth/context');`,
  curl: `TOKEN=$(curl -s ${baseUrl}/auth/token -d grant_type=client_credentials \\
  -d client_id=… -d client_secret=… | jq -r .access_token)
curl ${baseUrl}/auth/context -H "Authorization: Bearer $TOKEN"`,
});

function renderChapter({ name, id, description, routes }: Chapter, baseUrl: string, schemas: Schemas, isSandbox: boolean): Html {
  return html`<section>
    <h2 id="${id}">${name}</h2>
    ${renderDescription(description)} ${routes.map((route) => renderRoute(route, baseUrl, schemas, isSandbox))}
  </section>`;
}

function renderRoute(route: Route, baseUrl: string, schemas: Schemas, isSandbox: boolean): Html {
  const { method, path, operation } = route;
  const { operationId, summary, description = '', security, parameters = [], requestBody, responses } = operation;
  const [body] = Object.entries(requestBody?.content ?? {});
  const access = security.some((scheme) => 'bearer' in scheme) ? 'needs an access token' : 'needs no access token';
  return html`<section class="operation" aria-labelledby="${operationId}">
    <div>
      <h3 id="${operationId}"><a href="#${operationId}">${summary}</a></h3>
      <p class="route"><span class="method">${method.toUpperCase()}</span> <code>${path}</code> <span class="type">${access}</span></p>
      ${renderDescription(description.split(errorsHeading)[0])}
      ${
        parameters.length === 0
          ? ''
          : html`<h4>Parameters</h4>
              ${renderFields(
                parameters.map(({ name, in: where, schema, required, description: text }) => ({
                  name,
                  schema,
                  isRequired: required === true,
                  description: text,
                  where,
                })),
                schemas,
              )}`
      }
      ${
        body === undefined
          ? ''
          : html`<h4>Body <span class="type">${body[0]}</span></h4>
              ${renderBody(body[1].schema, schemas)}`
      }
      <h4>Answers</h4>
      ${Object.entries(responses)
        .filter(([status]) => Number(status) < 400)
        .map(([status, answer]) => renderAnswer(status, answer, schemas))}
      ${renderErrors(route)}
    </div>
    <div>${renderSamples(operationId, callSamples(route, baseUrl))} ${isSandbox ? renderTryIt(route) : ''}</div>
  </section>`;
}

/** The samples of a call, of which one is open at a time. */
function renderSamples(name: string, { client, curl }: { client?: string; curl: string }): Html {
  const sample = (title: string, code: string, isOpen: boolean): Html =>
    html`<details class="sample" name="sample-${name}" ${isOpen ? 'open' : ''}>
      <summary>${title}</summary>
      <pre><code>${code}</code></pre>
    </details>`;
  return html`${client === undefined ? '' : sample('mintrail-client', client, true)}${sample('curl', curl, client === undefined)}`;
}

function renderAnswer(status: string, { description, headers = {}, content = {} }: Answer, schemas: Schemas): Html {
  const [body] = Object.values(content);
  const example = body?.example;
  const named = Object.entries(headers).map(([name, { schema }]) => ({ name, schema, isRequired: false }));
  return html`<details class="answer">
    <summary><b>${status}</b> ${description.split('\n')[0]}</summary>
    ${
      named.length === 0
        ? ''
        : html`<p>Headers:</p>
            ${renderFields(named, schemas)}`
    }
    ${body === undefined ? '' : renderBody(body.schema, schemas)}
    ${
      example === undefined
        ? ''
        : html`<p>Example:</p>
            <pre><code>${typeof example === 'string' ? example : JSON.stringify(example, null, 2)}</code></pre>`
    }
  </details>`;
}

function renderErrors({ operation }: Route): Html | '' {
  const errors = ownErrors(operation);
  if (errors.length === 0) return '';
  return html`<details class="answer">
    <summary><b>4xx, 5xx</b> ${[...new Set(errors.map(({ code }) => code))].join(', ')}</summary>
    <dl>
      ${errors.map(
        ({ status, code }) =>
          html`<dt><code>${code}</code> ${status}</dt>
            <dd>${renderDescription(errorCatalogue[code as ErrorCode].meaning)}</dd>`,
      )}
    </dl>
  </details>`;
}
