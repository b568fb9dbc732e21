import type { Pages } from '../page-request.ts';
import { signedIn } from '../signed-in.ts';
import { showOverview } from './overview.ts';

/** The pages on which users look after their account. They are mounted below `/account` only. */
export const accountPages: Pages = {
  overview: { show: signedIn(showOverview) },
};
