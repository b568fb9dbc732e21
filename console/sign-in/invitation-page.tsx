import { Form } from '@base-ui/react/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { acceptByPasskey, acceptByPassword, type Invitation, type InvitationSecrets, readInvitation } from '../api/sign-in.ts';
import { Banner } from '../design/banner.tsx';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/form-field.tsx';
import { AppSeed } from './app-seed.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import styles from './sign-in-page.module.css';

/** Follows an invitation: its person registers a passkey, or sets a password with an authenticator app. Its secret is behind `#`. */
export function InvitationPage() {
  const [token] = useState(() => window.location.hash.slice(1));
  const [invitationCode, setInvitationCode] = useState<string>();
  const secrets = { token, ...(invitationCode !== undefined && { invitationCode }) };
  const { data, error } = useQuery({
    queryKey: ['invitation', token, invitationCode],
    queryFn: async () => readInvitation(secrets),
    retry: false,
    staleTime: Infinity,
  });
  const isWrongCode = error instanceof ApiError && error.fields['invitationCode'] !== undefined;
  if (error && (!isWrongCode || invitationCode === undefined)) {
    return (
      <SignInFrame title="The invitation is not valid">
        <Banner tone="negative" title={error.message} />
      </SignInFrame>
    );
  }
  if (isWrongCode || data?.needsCode === true) return <InvitationCodeForm error={error} onSend={setInvitationCode} />;
  if (!data) return <SignInFrame title="Reading the invitation…">{null}</SignInFrame>;
  return <Acceptance invitation={data} secrets={secrets} />;
}

/** Asks for the half of the invitation that is not in its link. */
function InvitationCodeForm({ error, onSend }: { error: Error | null; onSend: (code: string) => void }) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSend(textOf(new FormData(event.currentTarget), 'invitationCode').trim());
  };
  return (
    <SignInFrame title="Your invitation has two halves">
      <p>You have the link from the person who approved it. The code comes from the person who asked for it: nobody else should know it.</p>
      <Form className={styles.form} onSubmit={send} errors={error instanceof ApiError ? error.fields : {}}>
        <TextField
          name="invitationCode"
          label="Code of the invitation"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          autoFocus
        />
        <Button type="submit" tone="primary">
          Continue
        </Button>
      </Form>
    </SignInFrame>
  );
}

function Acceptance({ invitation: { name, role, totp }, secrets }: { invitation: Invitation; secrets: InvitationSecrets }) {
  const router = useRouter();
  const accept = useMutation({
    mutationFn: async (input: { password: string; code: string } | 'passkey') =>
      input === 'passkey' ? acceptByPasskey(secrets) : acceptByPassword({ ...secrets, ...input }),
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    accept.mutate({ password: textOf(form, 'password'), code: textOf(form, 'code') });
  };
  const enter = async () => {
    queryClient.clear();
    await router.navigate({ to: '/', replace: true });
  };
  if (accept.data) {
    return (
      <SignInFrame title="Keep your recovery codes">
        <RecoveryCodes codes={accept.data.recoveryCodes} onKept={() => void enter()} />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={`Welcome, ${name}`}>
      <p>You are invited as {role}. Choose how you will sign in.</p>
      {accept.error && <Banner tone="negative" title={messageOf(accept.error)} />}
      <Button tone="primary" disabled={accept.isPending} onClick={() => accept.mutate('passkey')}>
        Register a passkey of this device
      </Button>
      {totp && (
        <>
          <p className={styles.or}>or</p>
          <Form className={styles.form} onSubmit={send} errors={accept.error instanceof ApiError ? accept.error.fields : {}}>
            <TextField
              name="password"
              label="Password"
              type="password"
              autoComplete="new-password"
              hint="At least 12 characters."
              required
            />
            <AppSeed {...totp} />
            <TextField name="code" label="Code that the app shows" inputMode="numeric" autoComplete="one-time-code" required />
            <Button type="submit" disabled={accept.isPending}>
              Set the password
            </Button>
          </Form>
        </>
      )}
    </SignInFrame>
  );
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

function messageOf(error: Error): string {
  return error instanceof DOMException ? 'No passkey was registered. Try again, or set a password.' : error.message;
}
