import { createBrowser, type Shown } from '../api/hosted/browser.ts';
import { passport, person, personForm, sendDocuments, signUpOn } from '../api/hosted/onboarding.ts';
import type { Service } from './service.ts';

/** Somebody with a browser, who does what the specification leaves to users and to the owners of applications: the hosted flow. */
export function createPerson({ api, url }: Service) {
  const browser = createBrowser({ url, ledger: api.ledger, settings: api.deps.settings });

  /** Signs up, and gives everything that a review needs. */
  const onboard = async (page: Shown) => {
    const { details, profile, email } = await signUpOn(api, browser, page);
    const form = await browser.submit(details, 'details', { ...person, ...passport });
    const progress = await sendDocuments(browser, await browser.submit(form, 'form', personForm));
    return { profile, email, progress };
  };

  return {
    /** Comes without an application, as the owner of one does. */
    comeAlone: async () => onboard(await browser.come('/sign-up')),
    /** Comes by the redirect of an application. */
    comeBy: async (location: URL) => onboard(await browser.visit(location)),
    /** Comes by it again, signed in as before. */
    comeAgain: (location: URL) => browser.visit(location),
    /** Lets the application act, or does not, and leaves what is shown for later. Returns where that leads. */
    async consent({ url: shown }: Shown, decision: 'allow' | 'deny' = 'allow'): Promise<URL> {
      const page = await browser.visit(new URL(shown.href.replace(/\/authorize\/\w+\?/, '/authorize/consent?')));
      return (await browser.submit(page, 'consent', { decision })).url;
    },
  };
}
