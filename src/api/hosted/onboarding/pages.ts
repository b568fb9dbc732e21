import type { Pages } from '../page-request.ts';
import { signedIn } from '../signed-in.ts';
import { showAddress, submitAddress } from './address.ts';
import { showDetails, submitDetails } from './details.ts';

/** The pages on which a user becomes a customer. */
export const onboardingPages: Pages = {
  details: { show: signedIn(showDetails), submit: signedIn(submitDetails) },
  address: { show: signedIn(showAddress), submit: signedIn(submitAddress) },
};
