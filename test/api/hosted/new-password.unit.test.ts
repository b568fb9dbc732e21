import { expect, it } from 'vitest';
import { newPassword, newPasswordField, passwordField } from '../../../src/api/hosted/sign-in/credentials.ts';

const accepts = (password: string) => newPassword.safeParse(password).success;

// OWASP ASVS 4, 2.1.1 and 2.1.9.
it('has at least 12 characters, of which several spaces are one', () => {
  expect(accepts('twelve chars')).toBe(true);
  expect(accepts('eleven char')).toBe(false);
  expect(accepts('six   spaces')).toBe(false);
  expect(accepts('\u{1F511}'.repeat(11))).toBe(false);
});

// OWASP ASVS 4, 2.1.2.
it('has at most 128 characters', () => {
  expect(accepts('\u{1F511}'.repeat(128))).toBe(true);
  expect(accepts('x'.repeat(129))).toBe(false);
});

// OWASP ASVS 4, 2.1.11.
it('tells password managers which password a field wants', () => {
  expect([passwordField.autocomplete, newPasswordField.autocomplete]).toEqual(['current-password', 'new-password']);
});
