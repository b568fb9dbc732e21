import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { signOutEverywhere } from '../api/sign-in.ts';
import { Banner } from '../design/banner.tsx';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/form-field.tsx';
import { Page, Section } from '../design/page.tsx';
import { Time } from '../design/time.tsx';
import { AppSeed } from '../sign-in/app-seed.tsx';
import { RecoveryCodes } from '../sign-in/recovery-codes.tsx';
import { AccountError, AccountForm } from './account-form.tsx';
import styles from './account-page.module.css';
import {
  accountQuery,
  addPasskey,
  changePassword,
  offerSeed,
  removePasskey,
  renewRecoveryCodes,
  replaceApp,
  rereadAccount,
} from './account.ts';
import { ProofSection } from './proof-section.tsx';

/** What the operator signs in with, and how they change it by themselves. */
export function AccountPage() {
  const { data: account } = useSuspenseQuery(accountQuery);
  const { isProven, hasPassword, hasApp, passkeys } = account;
  return (
    <Page title="Your account" lead="What you sign in with. The audit log has every change." actions={<SignOutEverywhere />}>
      {!isProven && <ProofSection hasPassword={hasPassword} hasPasskey={passkeys.length > 0} />}
      <PasskeySection {...account} />
      <PasswordSection hasPassword={hasPassword} hasApp={hasApp} mayChange={isProven && hasApp} />
      <AppSection hasApp={hasApp} mayChange={isProven} />
      <RecoverySection left={account.recoveryCodes} mayChange={isProven} />
    </Page>
  );
}

function SignOutEverywhere() {
  const navigate = useNavigate();
  const end = useMutation({
    mutationFn: signOutEverywhere,
    onSuccess: async () => {
      queryClient.clear();
      await navigate({ to: '/sign-in' });
    },
  });
  return (
    <Button disabled={end.isPending} onClick={() => end.mutate()}>
      Sign out everywhere
    </Button>
  );
}

interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

function PasskeySection({ passkeys, isProven }: { passkeys: readonly Passkey[]; isProven: boolean }) {
  const add = useMutation({ mutationFn: addPasskey, onSettled: rereadAccount });
  const remove = useMutation({ mutationFn: removePasskey, onSettled: rereadAccount });
  return (
    <Section
      title="Passkeys"
      actions={
        isProven && (
          <Button disabled={add.isPending} onClick={() => add.mutate()}>
            Add a passkey of this device
          </Button>
        )
      }
    >
      {passkeys.length === 0 && <p>You have none.</p>}
      <ul className={styles.list}>
        {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
          <li key={id} className={styles.passkey}>
            <strong>{name}</strong>
            <span>
              added <Time at={createdAt} />,{' '}
              {lastUsedAt === null ? (
                'never used'
              ) : (
                <>
                  used <Time at={lastUsedAt} />
                </>
              )}
            </span>
            {isProven && (
              <Button tone="danger" disabled={remove.isPending} aria-label={`Remove ${name}`} onClick={() => remove.mutate(id)}>
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      <AccountError error={add.error ?? remove.error} />
    </Section>
  );
}

function PasswordSection({ hasPassword, hasApp, mayChange }: { hasPassword: boolean; hasApp: boolean; mayChange: boolean }) {
  const change = useMutation({ mutationFn: changePassword, onSettled: rereadAccount });
  return (
    <Section title="Password">
      <p>
        {hasPassword ? 'You have one.' : 'You have none.'}
        {!hasApp && ' A password takes an authenticator app: set one up first.'}
      </p>
      {change.isSuccess && <Banner tone="positive" title="The password is changed." />}
      {mayChange && (
        <AccountForm
          error={change.error}
          onSend={({ password = '' }, form) => change.mutate({ password }, { onSuccess: () => form.reset() })}
        >
          <TextField
            name="password"
            label="New password"
            type="password"
            autoComplete="new-password"
            hint="At least 12 characters."
            required
          />
          <Button type="submit" disabled={change.isPending}>
            Set the password
          </Button>
        </AccountForm>
      )}
    </Section>
  );
}

function AppSection({ hasApp, mayChange }: { hasApp: boolean; mayChange: boolean }) {
  const offer = useMutation({ mutationFn: offerSeed });
  const replace = useMutation({
    mutationFn: replaceApp,
    onSuccess: () => offer.reset(),
    onSettled: rereadAccount,
  });
  return (
    <Section title="Authenticator app">
      <p>{hasApp ? 'You have one. A new one takes its place.' : 'You have none.'}</p>
      {replace.isSuccess && <Banner tone="positive" title="The codes of the new app count from now on." />}
      {mayChange && !offer.data && (
        <Button disabled={offer.isPending} onClick={() => offer.mutate()}>
          {hasApp ? 'Replace the app' : 'Set up an app'}
        </Button>
      )}
      <AccountError error={offer.error} />
      {mayChange && offer.data && (
        <AccountForm error={replace.error} onSend={({ code = '' }) => replace.mutate({ code })}>
          <AppSeed {...offer.data} />
          <TextField name="code" label="Code that the new app shows" inputMode="numeric" autoComplete="one-time-code" required />
          <Button type="submit" disabled={replace.isPending}>
            Use this app
          </Button>
        </AccountForm>
      )}
    </Section>
  );
}

function RecoverySection({ left, mayChange }: { left: number; mayChange: boolean }) {
  const [codes, setCodes] = useState<readonly string[]>();
  const renew = useMutation({ mutationFn: renewRecoveryCodes, onSuccess: setCodes, onSettled: rereadAccount });
  return (
    <Section title="Recovery codes">
      {codes ? (
        <RecoveryCodes codes={codes} onKept={() => setCodes(undefined)} />
      ) : (
        <>
          <p>{left} are left. New ones take the place of all of them.</p>
          {mayChange && (
            <Button disabled={renew.isPending} onClick={() => renew.mutate()}>
              Make new ones
            </Button>
          )}
        </>
      )}
      <AccountError error={renew.error} />
    </Section>
  );
}
