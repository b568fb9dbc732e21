import { html } from 'hono/html';
import { exampleValues, type Route } from './call-samples.ts';
import { readExamples } from './examples.ts';
import type { Operation } from './openapi.ts';
import type { Html } from '../http/html.ts';

type Parameter = NonNullable<Operation['parameters']>[number];

/** A form that sends an operation from the page, as `assets/try-it.js` does it, with the values of its example. Only scripts show it. */
export function renderTryIt(route: Route): Html | '' {
  const { method, path, operation } = route;
  const { parameters = [], requestBody, responses, security } = operation;
  // A page for people, and a stream without an end.
  if (responses['302'] || responses['200']?.content?.['text/event-stream']) return '';
  const [[type = '', body] = []] = [Object.entries(requestBody?.content ?? {})[0]];
  const application = readExamples()[`${method.toUpperCase()} ${path}`]?.caller === 'partner' ? 'whitelabel' : 'private';
  const needsToken = security.some((scheme) => 'bearer' in scheme);
  const takesSecret = security.some((scheme) => 'basic' in scheme);
  return html`<details class="try-it">
    <summary>Try it</summary>
    <form
      data-method="${method.toUpperCase()}"
      data-path="${path}"
      data-type="${type}"
      ${needsToken || takesSecret ? html`data-application="${application}"` : ''}
    >
      ${parameters.map((parameter) => renderParameter(parameter, exampleValues(route, parameter.in)[parameter.name]))}
      ${body === undefined ? '' : renderInput(type, body.example)}
      ${needsToken ? html`<label>Access token <input name="token" autocomplete="off" spellcheck="false" /></label>` : ''}
      <p>
        <button type="submit">Send</button>
        ${needsToken ? html`<button type="button" class="token">Get a sandbox token</button>` : ''}
        ${takesSecret ? html`<button type="button" class="credentials">Use sandbox credentials</button>` : ''}
      </p>
      <div class="answered" role="status"></div>
    </form>
  </details>`;
}

function renderParameter({ name, in: where, schema, required }: Parameter, example: string | number | string[] | undefined): Html {
  const values = (schema.items ?? schema).enum?.filter((value) => typeof value === 'string');
  const shown = example === undefined || where === 'header' ? '' : String(example);
  const field = `${where}:${name}`;
  const isRequired = required === true ? 'required' : '';
  const input = values
    ? html`<select name="${field}">
        <option></option>
        ${values.map((value) => html`<option ${value === shown ? 'selected' : ''}>${value}</option>`)}
      </select>`
    : html`<input name="${field}" value="${shown}" autocomplete="off" spellcheck="false" ${isRequired} />`;
  return html`<label>${name} ${input}</label>`;
}

function renderInput(type: string, example: unknown): Html {
  if (type === 'multipart/form-data') return html`<label>File <input type="file" name="file" required /></label>`;
  const text =
    type === 'application/json'
      ? JSON.stringify(example ?? {}, null, 2)
      : new URLSearchParams(example as Record<string, string>).toString();
  return html`<label
    >Body <textarea name="body" rows="${Math.min(text.split('\n').length + 1, 16)}" spellcheck="false">${text}</textarea>
  </label>`;
}
