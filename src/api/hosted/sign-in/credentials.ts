import { html } from 'hono/html';
import { z } from 'zod';
import { sharedMinutes } from '../../../ledger/accounts/mail-outbox.ts';
import { isGuessable } from '../../../ledger/access/password-rules.ts';
import * as input from '../../../wire/input-fields.ts';
import { countCharacters } from '../../../wire/text.ts';
import type { Field } from '../fields.ts';
import type { Html } from '../page.ts';
import type { PageRequest } from '../page-request.ts';

/** Long enough that guessing is hopeless, without rules on characters (NIST SP 800-63B, section 3.1.1.2). */
const minPasswordLength = 12;
/** The most that OWASP ASVS 4 allows (2.1.2). */
const maxPasswordLength = 128;

const email = input.text(254).pipe(z.email('must be an email address, such as name@example.com'));

/** The fields of the sign-in form. The rules for a new password do not apply here. */
export const signInForm = z.object({ email, password: input.text(2 * maxPasswordLength).min(1, 'is required') });

/**
 * The rule for the form of a new password, in Unicode code points; {@link guessableProblem} is the rule for its content. Several spaces count as one
 * (OWASP ASVS 4, 2.1.1).
 */
export const newPassword = input
  .text(2 * maxPasswordLength)
  .refine((password) => countCharacters(password) <= maxPasswordLength, `must be at most ${maxPasswordLength} characters long`)
  .refine(
    (password) => countCharacters(password.replaceAll(/ +/g, ' ')) >= minPasswordLength,
    `must be at least ${minPasswordLength} characters long`,
  );

/** The fields of the sign-up form, with the rules for a new password. */
export const signUpForm = z.object({
  name: input.line(100).refine((name) => name.trim() !== '', 'is required'),
  email,
  password: newPassword,
});

/** The field of the form by which a user asks for a new password. */
export const resetForm = z.object({ email });

/** A code from a mail, which people may copy with spaces or dashes. */
export const code = input
  .text(30)
  .transform((text) => text.replaceAll(/[\s-]/g, ''))
  .pipe(z.string().regex(/^\d{12}$/, 'must be the 12 digits of the mail'));

/** The email address in the sign-in and sign-up forms. */
export const emailField: Field = { name: 'email', label: 'Email address', type: 'email', autocomplete: 'username' };
/** The user's name in the sign-up form. */
export const nameField: Field = { name: 'name', label: 'Your name', autocomplete: 'name' };
/** The password in the sign-in form. */
export const passwordField: Field = { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' };
/** The code from a mail, which browsers of phones fill in. */
export const codeField: Field = { name: 'code', label: 'Code', autocomplete: 'one-time-code', hint: '12 digits, from the mail.' };
/** The password in the sign-up form, which tells password managers that it is new. */
export const newPasswordField: Field = {
  ...passwordField,
  autocomplete: 'new-password',
  hint: `At least ${minPasswordLength} characters. A few words are easier to remember.`,
};

/** The email address that the client suggests; anything else, such as `email=true`, is ignored. */
export function suggestedEmail({ request }: PageRequest): Record<string, string> {
  return email.safeParse(request?.email).success ? { email: request?.email ?? '' } : {};
}

/** What is wrong with a new password that is easily guessed; `undefined` for any other. */
export async function guessableProblem(
  { deps }: PageRequest,
  user: { email: string; name: string; password: string },
): Promise<string | undefined> {
  const { serviceName } = deps.settings;
  const isBad = await isGuessable(user.password, { serviceName, email: user.email, name: user.name });
  return isBad ? 'is among the first that anybody guesses: it is a common one, or made of your name or address' : undefined;
}

/** Says where a code was mailed, and when the next mail comes. */
export function renderMailed(email: string): Html {
  return html`<p>We have sent a mail to <strong>${email}</strong>. Enter the code that is in it, here in this browser.</p>
    <p>
      Within ${sharedMinutes} minutes an address gets two mails at most, with the same code, so the mail may have come before you asked.
    </p>`;
}
