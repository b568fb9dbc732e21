import { Form } from '@base-ui/react/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { acceptByPasskey, acceptByPassword, readInvitation } from '../api/sign-in.ts';
import { Banner } from '../design/banner.tsx';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/form-field.tsx';
import { Copyable } from '../design/hash.tsx';
import { QrCode } from './qr-code.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import styles from './sign-in-page.module.css';

/** Follows an invitation: its person registers a passkey, or sets a password with an authenticator app. Its secret is behind `#`. */
export function InvitationPage() {
  const [token] = useState(() => window.location.hash.slice(1));
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[]>();
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => readInvitation(token),
    retry: false,
    staleTime: Infinity,
  });
  const accept = useMutation({
    mutationFn: async (input: { password: string; code: string } | 'passkey') =>
      input === 'passkey' ? acceptByPasskey(token) : acceptByPassword({ token, ...input }),
    onSuccess: (accepted) => setRecoveryCodes(accepted.recoveryCodes),
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = Object.fromEntries(new FormData(event.currentTarget)) as { password: string; code: string };
    accept.mutate({ password: form.password, code: form.code });
  };
  if (recoveryCodes) return <RecoveryCodes codes={recoveryCodes} />;
  if (invitation.error) {
    return (
      <SignInFrame title="The invitation is not valid">
        <Banner tone="negative" title={invitation.error.message} />
      </SignInFrame>
    );
  }
  if (!invitation.data) return <SignInFrame title="Reading the invitation…">{null}</SignInFrame>;
  const { name, role, totp } = invitation.data;
  return (
    <SignInFrame title={`Welcome, ${name}`}>
      <p>You are invited as {role}. Choose how you will sign in.</p>
      {accept.error && <Banner tone="negative" title={accept.error.message} />}
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
            <p>Scan this with an authenticator app, or type the key into it.</p>
            <QrCode text={totp.uri} label="Key of the authenticator app" />
            <Copyable value={totp.seed} />
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

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const router = useRouter();
  const enter = async () => {
    queryClient.clear();
    await router.navigate({ to: '/', replace: true });
  };
  return (
    <SignInFrame title="Keep your recovery codes">
      <p>Each signs you in once instead of a code of the app. They are shown only now.</p>
      <pre className={styles.codes}>{codes.join('\n')}</pre>
      <Button tone="primary" onClick={() => void enter()}>
        I have kept them
      </Button>
    </SignInFrame>
  );
}
