import { createBrowser, type Shown } from '../api/hosted/browser.ts';
import { passport, person, personForm, sendDocuments, signUpOn } from '../api/hosted/onboarding.ts';
import { completeProfile } from '../support/complete-profile.ts';
import type { Service } from './service.ts';

/** Somebody with a browser, who does what the specification leaves to users and to the owners of applications: the hosted flow, with all that a review needs. */
export function createPerson({ api, url }: Service) {
  const browser = createBrowser({ url, ledger: api.ledger, settings: api.deps.settings });

  return {
    /** Comes without an application, as the owner of one does. */
    async comeAlone() {
      const { details, profile, email } = await signUpOn(api, browser, await browser.come('/sign-up'));
      const form = await browser.submit(details, 'details', { ...person, ...passport });
      await sendDocuments(browser, await browser.submit(form, 'form', personForm));
      return { profile, email };
    },
    /** Comes by the redirect of an application. What a review needs comes without the pages, which open each document in a process. */
    async comeBy(location: URL) {
      const { details, profile } = await signUpOn(api, browser, await browser.visit(location));
      await completeProfile(api.ledger, profile);
      return { profile, page: details };
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
