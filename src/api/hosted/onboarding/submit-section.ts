import { submitSection, type Submission } from '../../../ledger/customers/profile-submissions.ts';
import { type PageRequest, goTo } from '../page-request.ts';
import { nextPage } from '../steps.ts';

/** Submits a section of the user's profile by the rules of the partner endpoints, and leads on to the next step. */
export async function submitAndContinue(pageRequest: PageRequest, profile: string, submission: Submission): Promise<Response> {
  const { deps, context, browser } = pageRequest;
  const { state } = await submitSection(deps.ledger, profile, submission, context.var.correlationId);
  if (state === 'pending' || browser.user === undefined) return goTo('progress', pageRequest);
  return goTo(await nextPage(pageRequest, browser.user.id), pageRequest);
}
