import { html } from 'hono/html';
import { signOut } from '../browser.ts';
import { type PageRequest, type Pages, goTo, pageUrl, show } from '../page-request.ts';
import { nextPage } from '../steps.ts';
import { showPasskey, submitPasskey } from './passkey.ts';
import { showSecondFactor, submitSecondFactor } from './second-factor.ts';
import { showNewPassword, showResetPassword, submitNewPassword, submitResetPassword } from './reset-password.ts';
import { showSignIn, submitSignIn } from './sign-in.ts';
import { showSignUp, showVerifyEmail, submitSignUp, submitVerifyEmail } from './sign-up.ts';

/** The pages of a person who is not signed in yet, and the end of a session. */
export const signInPages: Pages = {
  start: { show: showStart },
  'sign-in': { show: showSignIn, submit: submitSignIn },
  'sign-up': { show: showSignUp, submit: submitSignUp },
  passkey: { show: showPasskey, submit: submitPasskey },
  'second-factor': { show: showSecondFactor, submit: submitSecondFactor },
  'verify-email': { show: showVerifyEmail, submit: submitVerifyEmail },
  'reset-password': { show: showResetPassword, submit: submitResetPassword },
  'new-password': { show: showNewPassword, submit: submitNewPassword },
  'sign-out': { submit: submitSignOut },
};

/** The first page: the next step of a signed-in user, otherwise what the client asked for, otherwise a choice (docs/api.md, Authorization endpoint). */
async function showStart(pageRequest: PageRequest): Promise<Response> {
  const { browser, request, deps } = pageRequest;
  if (browser.user) return goTo(await nextPage(pageRequest, browser.user.id), pageRequest);
  if (request?.authMode !== undefined) return goTo(request.authMode === 'login' ? 'sign-in' : 'sign-up', pageRequest);
  const { serviceName } = deps.settings;
  const purpose =
    request === undefined
      ? html`<p>Your account at ${serviceName}: who you are, your addresses, and who may act for you.</p>`
      : html`<p><strong>${request.client.name}</strong> asks for access to your account at ${serviceName}.</p>`;
  const body = html`${purpose}
    <p class="choices">
      <a class="button" href="${pageUrl('sign-in', pageRequest)}">Sign in</a>
      <a class="button secondary" href="${pageUrl('sign-up', pageRequest)}">Create an account</a>
    </p>`;
  return show(pageRequest, { title: 'Welcome', body });
}

async function submitSignOut(pageRequest: PageRequest): Promise<Response> {
  await signOut(pageRequest.context, pageRequest.deps);
  return goTo('sign-in', pageRequest);
}
