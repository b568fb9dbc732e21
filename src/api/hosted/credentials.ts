import { z } from 'zod';
import { type AttemptSubject, countSignInAttempt } from '../../ledger/access/sign-in-attempts.ts';
import { clientNetwork } from '../middlewares/client-network.ts';
import * as input from '../../wire/input-fields.ts';
import type { Field, Filled } from './fields.ts';
import type { Visit } from './visit.ts';
import { fieldMessages } from '../http/errors.ts';

/** Long enough that guessing is hopeless, without rules on characters (NIST SP 800-63B, section 3.1.1.2). */
const minPassword = 12;
const maxPassword = 256;

const email = input.text(254).pipe(z.email('must be an email address, such as name@example.com'));

export const signInForm = z.object({ email, password: input.text(maxPassword).min(1, 'is required') });

export const signUpForm = z.object({
  name: input.text(100).refine((name) => name.trim() !== '', 'is required'),
  email,
  password: input.text(maxPassword).min(minPassword, `must be at least ${minPassword} characters long`),
});

export const emailField: Field = { name: 'email', label: 'Email address', type: 'email', autocomplete: 'username' };
export const nameField: Field = { name: 'name', label: 'Your name', autocomplete: 'name' };
export const passwordField: Field = { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' };
export const newPasswordField: Field = {
  ...passwordField,
  autocomplete: 'new-password',
  hint: `At least ${minPassword} characters. A few words are easier to remember.`,
};

/** An address that the client suggests; `email=true` and the like suggest nothing. */
export function suggestedEmail({ request }: Visit): Record<string, string> {
  return email.safeParse(request.email).success ? { email: request.email ?? '' } : {};
}

/** Reads a form: what it says, or what is wrong with it. */
export function readForm<Schema extends z.ZodType>(schema: Schema, form: URLSearchParams): { data: z.output<Schema> } | Filled {
  const values = Object.fromEntries([...form].map(([name, value]) => [name, name === 'password' ? value : value.trim()]));
  const parsed = schema.safeParse(values);
  return parsed.success ? { data: parsed.data } : { values, problems: fieldMessages(parsed.error.issues) };
}

/** Counts a try; a sentence when there were too many. */
export async function tooManyTries({ context, deps }: Visit, account?: AttemptSubject): Promise<string | undefined> {
  const tried: AttemptSubject[] = [
    { kind: 'address', name: clientNetwork(context, deps.settings.trustedProxies) },
    ...(account ? [account] : []),
  ];
  const seconds = await countSignInAttempt(deps.ledger, tried);
  return seconds === 0 ? undefined : `Too many tries. Wait ${Math.ceil(seconds / 60)} minutes and try again.`;
}
