import { html } from 'hono/html';
import type { ReviewError } from '../../../ledger/customers/profile-review.ts';
import { type Submission, submitSection } from '../../../ledger/customers/profile-submissions.ts';
import { type Field, problemSentence } from '../fields.ts';
import type { Html } from '../page.ts';
import { goTo, type PageRequest, pageUrl } from '../page-request.ts';
import { lastPage, nextPage } from '../steps.ts';
import { fieldAt } from './section-values.ts';

/** The problems that a review named in the fields of a section, by the name of the field. */
export function reviewedFields(fields: readonly Field[], errors: readonly ReviewError[]): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const { field, reason } of errors) {
    const name = nameIn(fields, field);
    if (name !== undefined) problems[name] ??= `was sent back: ${reason}`;
  }
  return problems;
}

/** What a review says of a section as a whole, or of something in it that has no field on this page. */
export function renderReview(errors: readonly ReviewError[], fields: readonly Field[] = []): Html {
  const rest = errors.filter(({ field }) => nameIn(fields, field) === undefined);
  if (rest.length === 0) return html``;
  return html`<div class="notice" role="alert">
    <p><strong>We looked at this and need it again.</strong></p>
    <ul>
      ${rest.map(({ field, reason }) => html`<li>${placeOf(field)}${reason}</li>`)}
    </ul>
  </div>`;
}

/** The way on for a user who leaves a step for later. */
export function renderPostpone(pageRequest: PageRequest): Html {
  return html`<p><a class="button secondary" href="${pageUrl(lastPage(pageRequest), pageRequest)}">Not now</a></p>`;
}

/** A list of what is wrong, for a page on which it cannot stand beside the fields. */
export function renderProblems(fields: readonly Field[], problems: Record<string, string>): Html {
  return html`<ul class="problems">
    ${Object.entries(problems).map(([name, text]) => {
      const field = fieldAt(fields, name);
      return html`<li class="problem">${field === undefined ? `${name} ${text}` : problemSentence(field, text)}</li>`;
    })}
  </ul>`;
}

function nameIn(fields: readonly Field[], field: string): string | undefined {
  const name = field.split('.').slice(1).join('.');
  return fields.find((known) => known.name === name)?.name;
}

/** Where in the section it is, for a path such as `details.representatives.0.birthday`. */
function placeOf(field: string): string {
  const place = field.split('.').slice(1).join(', ');
  return place === '' ? '' : `${place}: `;
}

/** Submits a section of the user's profile by the rules of the partner endpoints, and leads on to the next step. */
export async function submitAndContinue(pageRequest: PageRequest, profile: string, submission: Submission): Promise<Response> {
  const { deps, context, browser } = pageRequest;
  const { state } = await submitSection(deps.ledger, profile, submission, context.var.correlationId);
  if (state === 'pending' || browser.user === undefined) return goTo('progress', pageRequest);
  return goTo(await nextPage(pageRequest, browser.user.id), pageRequest);
}
