import { Form } from '@base-ui/react/form';
import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { signInByPasskey, signInByPassword } from '../api/sign-in.ts';
import { Banner } from '../design/banner.tsx';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/form-field.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import styles from './sign-in-page.module.css';

/** Sign-in by password and code, or by a passkey. */
export function SignInPage() {
  const { return: returnTo = '/', ended } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const onSuccess = async () => {
    queryClient.clear();
    await router.navigate({ href: returnTo, replace: true });
  };
  const password = useMutation({ mutationFn: signInByPassword, onSuccess });
  const passkey = useMutation({ mutationFn: signInByPasskey, onSuccess });
  const error = password.error ?? passkey.error;
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => {
      const value = form.get(name);
      return typeof value === 'string' ? value : '';
    };
    passkey.reset();
    password.mutate({ name: text('name'), password: text('password'), code: text('code') });
  };
  return (
    <SignInFrame title="Sign in">
      {ended && !error && <Banner tone="info" title="Your session has ended. Sign in to go on where you were." />}
      {error && <Banner tone="negative" title={messageOf(error)} />}
      <Form className={styles.form} onSubmit={send} errors={password.error instanceof ApiError ? password.error.fields : {}}>
        <TextField name="name" label="Name" autoComplete="username webauthn" autoCapitalize="none" spellCheck={false} required autoFocus />
        <TextField name="password" label="Password" type="password" autoComplete="current-password" required />
        <TextField name="code" label="Code of your authenticator app" inputMode="numeric" autoComplete="one-time-code" required />
        <Button type="submit" tone="primary" disabled={password.isPending}>
          {password.isPending ? 'Signing in…' : 'Sign in'}
        </Button>
      </Form>
      <p className={styles.or}>or</p>
      <Button
        disabled={passkey.isPending}
        onClick={() => {
          password.reset();
          passkey.mutate();
        }}
      >
        Sign in with a passkey
      </Button>
    </SignInFrame>
  );
}

function messageOf(error: Error): string {
  if (error instanceof DOMException) return 'The passkey was not used. Try again, or sign in by password.';
  return error.message;
}
