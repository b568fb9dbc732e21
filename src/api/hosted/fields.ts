import { html } from 'hono/html';
import type { Html } from './page.ts';

/** An input of a form on a hosted page. */
export interface Field {
  name: string;
  /** A noun, or a question that ends with `?`. */
  label: string;
  type?: 'text' | 'email' | 'password' | 'date' | 'tel' | 'url' | 'file';
  /** Lets browsers and password managers fill the field in (HTML, section 4.10.18.7). */
  autocomplete: string;
  hint?: string;
  required?: boolean;
  /** Values with their names; the user chooses one. */
  options?: readonly (readonly [string, string])[];
  /** How the field is shown: a text of several lines, a choice between yes and no, or options of which the user chooses any number. */
  control?: 'textarea' | 'yesNo' | 'checkboxes';
  /** Which files a field of the type `file` takes, and whether it takes several. */
  accept?: string;
  multiple?: boolean;
}

/** What a user has entered into fields; a list for several choices. */
export type Values = Record<string, string | readonly string[]>;

/** What the user has entered into a form, and what is wrong with it, both by the name of the field. */
export interface FormState {
  values: Values;
  /** One text per invalid field. */
  problems: Record<string, string>;
}

/** The values of a choice between yes and no. */
const yesNo = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const;

/** Renders fields with label, hint and problem. The first invalid field has the focus, otherwise the first empty one that is required. */
export function renderFields(fields: readonly Field[], { values, problems }: FormState): Html {
  const isEmpty = ({ name, required = true }: Field) => required && (values[name] ?? '') === '';
  const first = fields.find(({ name }) => problems[name] !== undefined) ?? fields.find(isEmpty);
  return html`${fields.map((field) =>
    renderField(field, { value: values[field.name], problem: problems[field.name], hasFocus: field === first }),
  )}`;
}

/** Renders the problem of a form as a whole, above its fields. */
export function renderProblem(problem: string | undefined): Html {
  return problem === undefined ? html`` : html`<p class="problem" role="alert">${problem}</p>`;
}

/** The problem of a field as a sentence: `City is required`. */
export function problemSentence({ label }: Pick<Field, 'label'>, problem: string): string {
  return `${label.endsWith('?') ? 'This answer' : label} ${problem}`;
}

interface FieldState {
  value: string | readonly string[] | undefined;
  problem: string | undefined;
  hasFocus: boolean;
}

function renderField(field: Field, state: FieldState): Html {
  const { name, label, hint, required = true } = field;
  const { problem } = state;
  const text = html`${label}${required ? '' : html` <span class="optional">(optional)</span>`}`;
  const hintText = hint === undefined ? '' : html`<p class="hint" id="${name}-hint">${hint}</p>`;
  const problemText = problem === undefined ? '' : html`<p class="problem" id="${name}-problem">${problemSentence(field, problem)}</p>`;
  if (field.control === 'yesNo' || field.control === 'checkboxes')
    return html`<fieldset class="field" ${describedBy(field, problem)}>
      <legend>${text}</legend>
      ${hintText}${renderChoices(field, state)}${problemText}
    </fieldset>`;
  return html`<div class="field">
    <label for="${name}">${text}</label>
    ${hintText} ${renderControl(field, state)} ${problemText}
  </div>`;
}

function renderControl(field: Field, state: FieldState): Html {
  if (field.options !== undefined) return renderSelect(field, state);
  return field.control === 'textarea' ? renderTextarea(field, state) : renderInput(field, state);
}

function renderInput(field: Field, { value, problem, hasFocus }: FieldState): Html {
  const { name, type = 'text', autocomplete, required = true, accept, multiple } = field;
  // A password is never sent back, and a file cannot be.
  return html`<input
    id="${name}"
    name="${name}"
    type="${type}"
    autocomplete="${autocomplete}"
    value="${type === 'password' || type === 'file' ? '' : (value ?? '')}"
    ${accept === undefined ? '' : html`accept="${accept}"`}
    ${multiple === true ? 'multiple' : ''}
    ${required ? 'required' : ''}
    ${describedBy(field, problem)}
    ${hasFocus ? 'autofocus' : ''}
  />`;
}

function renderTextarea(field: Field, { value, problem, hasFocus }: FieldState): Html {
  const { name, required = true } = field;
  const attributes = html`${required ? 'required' : ''} ${describedBy(field, problem)} ${hasFocus ? 'autofocus' : ''}`;
  return html`<textarea id="${name}" name="${name}" rows="4" ${attributes}>${value ?? ''}</textarea>`;
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

/** Radio buttons or checkboxes, each in its label. */
function renderChoices({ name, control, options = yesNo, required = true }: Field, { value, problem, hasFocus }: FieldState): Html {
  const type = control === 'checkboxes' ? 'checkbox' : 'radio';
  const chosen = value === undefined ? [] : [value].flat();
  return html`${options.map(
    ([code, text], index) =>
      html`<label class="choice"
        ><input
          name="${name}"
          type="${type}"
          value="${code}"
          ${chosen.includes(code) ? 'checked' : ''}
          ${type === 'radio' && required ? 'required' : ''}
          ${problem === undefined ? '' : html`aria-invalid="true"`}
          ${hasFocus && index === 0 ? 'autofocus' : ''}
        />
        ${text}</label
      >`,
  )}`;
}

function describedBy({ name, hint, control }: Field, problem: string | undefined): Html | string {
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(problem === undefined ? [] : [`${name}-problem`])].join(' ');
  const isGroup = control === 'yesNo' || control === 'checkboxes';
  const invalid = problem === undefined || isGroup ? '' : html`aria-invalid="true"`;
  return ids === '' ? '' : html`aria-describedby="${ids}" ${invalid}`;
}
