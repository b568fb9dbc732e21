import { type Pages, goTo } from '../page-request.ts';
import { signedIn } from '../signed-in.ts';
import { showDetails, submitDetails } from './details.ts';
import { showForm, submitForm } from './form.ts';
import { submitKind } from './kind.ts';
import { whileOpen } from './own-profile.ts';
import { showPerson, submitPerson } from './person.ts';
import { showProgress } from './progress.ts';
import { receiveVerification, showVerification } from './verification.ts';

/** The pages on which a user becomes a customer. */
export const onboardingPages: Pages = {
  // Whoever reloads the page of an error comes here.
  kind: { show: (pageRequest) => goTo('details', pageRequest), submit: whileOpen(submitKind) },
  details: { show: whileOpen(showDetails), submit: whileOpen(submitDetails) },
  person: { show: whileOpen(showPerson), submit: whileOpen(submitPerson) },
  form: { show: whileOpen(showForm), submit: whileOpen(submitForm) },
  verification: { show: whileOpen(showVerification), receive: whileOpen(receiveVerification) },
  progress: { show: signedIn(showProgress) },
};
