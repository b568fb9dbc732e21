import { html } from 'hono/html';
import type { Html } from './page.ts';

/** An input of a form on a hosted page. */
export interface Field {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password' | 'date' | 'tel';
  /** Lets browsers and password managers fill the field in (HTML, section 4.10.18.7). */
  autocomplete: string;
  hint?: string;
  required?: boolean;
  /** Values with their names; the user chooses one. */
  options?: readonly (readonly [string, string])[];
}

/** What the user has entered into a form, and what is wrong with it, both by the name of the field. */
export interface FormState {
  values: Record<string, string>;
  /** One text per invalid field. */
  problems: Record<string, string>;
}

/** Renders fields with label, hint and problem. The first invalid field has the focus, otherwise the first empty one. */
export function renderFields(fields: readonly Field[], { values, problems }: FormState): Html {
  const first = fields.find(({ name }) => problems[name] !== undefined) ?? fields.find(({ name }) => (values[name] ?? '') === '');
  return html`${fields.map((field) =>
    renderField(field, { value: values[field.name], problem: problems[field.name], hasFocus: field === first }),
  )}`;
}

/** Renders the problem of a form as a whole, above its fields. */
export function renderProblem(problem: string | undefined): Html {
  return problem === undefined ? html`` : html`<p class="problem" role="alert">${problem}</p>`;
}

interface FieldState {
  value: string | undefined;
  problem: string | undefined;
  hasFocus: boolean;
}

function renderField(field: Field, state: FieldState): Html {
  const { name, label, hint, required = true } = field;
  const { problem } = state;
  return html`<div class="field">
    <label for="${name}">${label}${required ? '' : html` <span class="optional">(optional)</span>`}</label>
    ${hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`}
    ${field.options === undefined ? renderInput(field, state) : renderSelect(field, state)}
    ${problem === undefined ? '' : html`<p class="problem" id="${name}-problem">${label} ${problem}</p>`}
  </div>`;
}

function renderInput(field: Field, { value, problem, hasFocus }: FieldState): Html {
  const { name, type = 'text', autocomplete, required = true } = field;
  // A password is never sent back.
  return html`<input
    id="${name}"
    name="${name}"
    type="${type}"
    autocomplete="${autocomplete}"
    value="${type === 'password' ? '' : (value ?? '')}"
    ${required ? 'required' : ''}
    ${describedBy(field, problem)}
    ${hasFocus ? 'autofocus' : ''}
  />`;
}

function renderSelect(field: Field, { value, problem, hasFocus }: FieldState): Html {
  const { name, autocomplete, options = [], required = true } = field;
  return html`<select
    id="${name}"
    name="${name}"
    autocomplete="${autocomplete}"
    ${required ? 'required' : ''}
    ${describedBy(field, problem)}
    ${hasFocus ? 'autofocus' : ''}
  >
    <option value="">Choose</option>
    ${options.map(([code, text]) => html`<option value="${code}" ${code === value ? 'selected' : ''}>${text}</option>`)}
  </select>`;
}

function describedBy({ name, hint }: Field, problem: string | undefined): Html | string {
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(problem === undefined ? [] : [`${name}-problem`])].join(' ');
  const invalid = problem === undefined ? '' : html`aria-invalid="true"`;
  return ids === '' ? '' : html`aria-describedby="${ids}" ${invalid}`;
}
