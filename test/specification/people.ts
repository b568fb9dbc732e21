import { createBrowser, type Shown } from '../api/hosted/browser.ts';
import { signUpOn } from '../api/hosted/onboarding.ts';
import { completeProfile } from '../support/complete-profile.ts';
import type { Service } from './service.ts';

/** Somebody with a browser, who does what the specification leaves to users and to the owners of applications: the hosted flow, with all that a review needs. */
export function createPerson({ api, url }: Service) {
  const browser = createBrowser({ url, ledger: api.ledger, settings: api.deps.settings });

  return {
    /** Comes by the redirect of an application, or alone, as the owner of one does. What a review needs comes without the pages, which open each document in a process. */
    async come(location?: URL) {
      const first = await (location ? browser.visit(location) : browser.come('/sign-up'));
      const { details: page, profile, email } = await signUpOn(api, browser, first);
      await completeProfile(api.ledger, profile);
      return { profile, email, page };
    },
    /** Comes by it again, signed in as before. */
    comeAgain: (location: URL) => browser.visit(location),
    /** Lets the application act, or does not, and leaves what is shown for later. Returns where that leads. */
    async consent({ url: shown }: Shown, decision: 'allow' | 'deny' = 'allow'): Promise<URL> {
      const page = await browser.visit(new URL(shown.href.replace(/\/authorize\/\w+\?/, '/authorize/consent?')));
      return (await browser.submit(page, 'consent', { decision })).url;
    },
  };
}
