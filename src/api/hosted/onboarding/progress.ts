import { html } from 'hono/html';
import type { SignedInUser } from '../../../ledger/access/sessions.ts';
import { findLastReview } from '../../../ledger/customers/last-review.ts';
import { isOpen } from '../../../ledger/customers/profile-drafts.ts';
import type { ReviewError } from '../../../ledger/customers/profile-review.ts';
import type { ProfileView } from '../../../ledger/customers/profile-sections.ts';
import type { ProfileState, SectionState } from '../../../schema/states.ts';
import type { Html } from '../page.ts';
import { type PageName, type PageParameters, type PageRequest, pageUrl, show } from '../page-request.ts';
import { lastPage, nextPage } from '../steps.ts';
import { ownProfile } from './own-profile.ts';
import { errorsOf, openReviewErrors } from './review-errors.ts';
import { verificationText } from './verification-texts.ts';
import { personNames } from './verification.ts';

/** `GET .../progress`: every section and verification with its state, what the review wants again, and the way on. */
export async function showProgress(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { ledger } = pageRequest.deps;
  const profile = await ownProfile(pageRequest, user);
  const review = profile.state === 'rejected' ? await findLastReview(ledger, profile.id) : undefined;
  const [errors, names] = [await openReviewErrors(ledger, profile), await personNames(pageRequest, profile)];
  const body = html`<p>${stateTexts[profile.state]}</p>
    ${review?.reason ? html`<p class="notice">${review.reason}</p>` : ''}
    <ul class="steps">
      ${stepsOf(profile, names).map((step) => renderStep(pageRequest, profile, { step, errors }))}
    </ul>
    ${renderWayOn(pageRequest, await nextPage(pageRequest, user.id))}`;
  return show(pageRequest, { title: 'Your verification', body });
}

const stateTexts: Record<ProfileState, string> = {
  created: 'We need to know who you are before money can move.',
  incomplete: 'Something is still missing. When everything is here, we look at it.',
  pending: 'Everything is here. We are looking at it, and you need not do anything now.',
  approved: 'You are verified.',
  rejected: 'We looked at everything and cannot have you as a customer.',
};

/** A section or verification of the profile, with the page on which it is given. */
interface Step {
  title: string;
  state: SectionState;
  /** The section or verification kind, and the person, as reviews name them. */
  section: string;
  person?: string | undefined;
  page: PageName;
  parameters?: PageParameters;
}

function stepsOf({ kind, details, form, verifications }: ProfileView, names: ReadonlyMap<string, string>): Step[] {
  return [
    { title: kind === 'personal' ? 'About you' : 'About the company', state: details.state, section: 'details', page: 'details' },
    { title: kind === 'personal' ? 'Your money' : "The company's money", state: form.state, section: 'form', page: 'form' },
    ...verifications.map((verification): Step => {
      const { personId: person, state } = verification;
      const { title } = verificationText(kind, verification.kind);
      const name = person === undefined ? undefined : names.get(person);
      return {
        title: name === undefined ? title : `${title}: ${name}`,
        state,
        section: verification.kind,
        person,
        page: 'verification',
        parameters: { of: verification.kind, ...(person === undefined ? {} : { person }) },
      };
    }),
  ];
}

interface StepState {
  step: Step;
  errors: readonly ReviewError[];
}

function renderStep(pageRequest: PageRequest, profile: ProfileView, { step, errors }: StepState): Html {
  const { title, state, section, person, page, parameters } = step;
  const own = state === 'incomplete' ? errorsOf(errors, section, person) : [];
  const text = own.length > 0 ? 'needed again' : sectionTexts[state];
  const url = pageUrl(page, pageRequest, parameters);
  const name = isOpen(profile) ? html`<a href="${url}">${title}</a>` : title;
  return html`<li class="${state}">
    ${name} <span class="state">${text}</span>
    ${own.map(({ reason }) => html`<p class="problem">${reason}</p>`)}
  </li>`;
}

const sectionTexts: Record<SectionState, string> = {
  incomplete: 'missing',
  pending: 'received',
  approved: 'approved',
  rejected: 'rejected',
};

function renderWayOn(pageRequest: PageRequest, next: PageName): Html {
  const last = lastPage(pageRequest);
  const client = pageRequest.request?.client.name;
  const onText = client === undefined ? 'Your account' : `Continue to ${client}`;
  const on = (style: string) => html`<p><a class="button ${style}" href="${pageUrl(last, pageRequest)}">${onText}</a></p>`;
  if (next === last || next === 'progress') return on('');
  const text = next === 'address' ? 'Link an address' : 'Continue';
  return html`<p><a class="button" href="${pageUrl(next, pageRequest)}">${text}</a></p>
    ${on('secondary')}`;
}
