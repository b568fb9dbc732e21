import { useMutation } from '@tanstack/react-query';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/form-field.tsx';
import { Section } from '../design/page.tsx';
import { AccountError, AccountForm } from './account-form.tsx';
import { proveByPasskey, proveByPassword, rereadAccount } from './account.ts';

/** Asks for what the operator signs in with now: a stolen session must change nothing. */
export function ProofSection({ hasPassword, hasPasskey }: { hasPassword: boolean; hasPasskey: boolean }) {
  const byPassword = useMutation({ mutationFn: proveByPassword, onSuccess: rereadAccount });
  const byPasskey = useMutation({ mutationFn: proveByPasskey, onSuccess: rereadAccount });
  return (
    <Section title="Prove that it is you">
      <p>
        Before you change what you sign in with, sign in once more. It is good for five minutes. Every change signs you out in other
        browsers.
      </p>
      {hasPasskey && (
        <Button tone="primary" disabled={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
          Use a passkey
        </Button>
      )}
      <AccountError error={byPasskey.error} />
      {hasPassword && (
        <AccountForm error={byPassword.error} onSend={({ password = '', code = '' }) => byPassword.mutate({ password, code })}>
          <TextField name="password" label="Your password" type="password" autoComplete="current-password" required />
          <TextField name="code" label="Code of your app, or a recovery code" autoComplete="one-time-code" required />
          <Button type="submit" disabled={byPassword.isPending}>
            Prove it
          </Button>
        </AccountForm>
      )}
      {!hasPasskey && !hasPassword && <p>You came by the link of a sandbox, and have nothing to sign in with.</p>}
    </Section>
  );
}
