import { Form } from '@base-ui/react/form';
import type { FormEvent, ReactNode } from 'react';
import { ApiError } from '../api/api-error.ts';
import { Banner } from '../design/banner.tsx';
import styles from './account-page.module.css';

/** A form of the account, with what was wrong beside its fields. */
export function AccountForm({
  error,
  onSend,
  children,
}: {
  error: Error | null;
  onSend: (texts: Record<string, string>, form: HTMLFormElement) => void;
  children: ReactNode;
}) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    onSend(Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : ''])), form);
  };
  return (
    <Form className={styles.form} onSubmit={send} errors={error instanceof ApiError ? error.fields : {}}>
      <AccountError error={error} />
      {children}
    </Form>
  );
}

/** What was wrong, unless it stands beside a field. */
export function AccountError({ error }: { error: Error | null }) {
  if (error === null || (error instanceof ApiError && Object.keys(error.fields).length > 0)) return null;
  return <Banner tone="negative" title={error instanceof DOMException ? 'No passkey was used. Try again.' : error.message} />;
}
