import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { InferResponseType } from 'hono/client';
import { api } from '../api/client.ts';
import { ActionButton } from '../design/action-button.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { CheckboxField, SelectField, TextAreaField, TextField } from '../design/form-field.tsx';
import { linesOf } from '../design/form-lines.ts';
import { Copyable } from '../design/hash.tsx';
import { Page } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { ApplicationCredentials, isCredentials } from './application-credentials.tsx';
import styles from './applications-page.module.css';

type Application = InferResponseType<typeof api.applications.$get>['rows'][number];

const applicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: async ({ signal }) => (await api.applications.$get({ query: {} }, { init: { signal } })).json(),
});

const kinds = [
  { value: 'private', label: 'Private: a company for itself' },
  { value: 'whitelabel', label: 'Whitelabel: a partner for its customers' },
  { value: 'authorization_code', label: 'Authorization code: users sign in here' },
];

const permissions = [
  { value: 'read', label: 'Read' },
  { value: 'write', label: 'Write' },
];

const columns: readonly Column<Application>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, width: 'minmax(7rem, 2fr)' },
  { id: 'kind', header: 'Kind', cell: describeKind, width: '5.5rem' },
  { id: 'owner', header: 'Owner', cell: ({ owner }) => owner, width: 'minmax(11rem, 3fr)' },
  { id: 'id', header: 'Client id', cell: ({ id }) => <Copyable value={id} shown={`${id.slice(0, 8)}…`} />, width: '7rem' },
  { id: 'state', header: 'State', cell: ({ state }) => <StateBadge state={state} />, width: '5.5rem' },
  {
    id: 'actions',
    header: 'Actions',
    cell: (application) => <ApplicationActions application={application} />,
    align: 'end',
    width: '17rem',
  },
];

/** The applications that may call the API, and for whom. */
export function ApplicationsPage() {
  const { data } = useSuspenseQuery(applicationsQuery);
  return (
    <Page
      title="Applications"
      actions={
        <ActionButton
          action="applications.register"
          label="Register an application"
          tone="primary"
          reason={false}
          readForm={readRegistration}
          renderResult={(result) => isCredentials(result) && <ApplicationCredentials {...result} />}
        >
          <SelectField name="kind" label="Kind" options={kinds} />
          <TextField name="name" label="Name" required autoComplete="off" />
          <TextField name="owner" label="Email address of the owner" type="email" autoComplete="off" />
          <TextAreaField name="redirectUris" label="Redirect URIs" hint="One a line; for the kind authorization code." rows={2} />
          <TextAreaField name="origins" label="Origins" hint="One a line: whose pages may call the API." rows={2} />
          <TextField name="privacyPolicyUrl" label="Privacy policy" type="url" autoComplete="off" />
          <TextField name="termsUrl" label="Terms" hint="Sign-in by a wallet needs both." type="url" autoComplete="off" />
          <SelectField name="permission" label="Permission" hint="What users let the kind authorization code do." options={permissions} />
          <CheckboxField
            name="isReadOnly"
            label="It may only read"
            hint="A private application that must not move money, such as a reporting tool."
          />
          <CheckboxField
            name="isConfidential"
            label="It can keep a secret"
            hint="An authorization-code application with a server of its own."
          />
          <CheckboxField
            name="refreshNeedsSecret"
            label="It sends the secret with every refresh"
            hint="Clients of this API family do not by themselves."
          />
        </ActionButton>
      }
    >
      <DataTable
        label="Applications"
        columns={columns}
        rows={data.rows}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No application is registered yet." />}
      />
    </Page>
  );
}

function describeKind({ kind, permissions: may }: Application): string {
  return kind === 'private' && !may.includes('write') ? 'private, read-only' : kind.replaceAll('_', ' ');
}

function ApplicationActions({ application: { id, kind, name, state, origins, isConfidential } }: { application: Application }) {
  const input = { application: id };
  if (state === 'disabled') return null;
  return (
    <span className={styles.actions}>
      {state === 'waiting' && kind !== 'private' && (
        <ActionButton action="applications.approve" label="Approve" title={`Approve ${name}`} input={input} reason={false} />
      )}
      {isConfidential && (
        <ActionButton
          action="applications.rotate-secret"
          label="Rotate secret"
          title={`New secret of ${name}`}
          lead="The old secret stays valid for 24 hours. If it is itself newer than that, the secret before it ends now."
          input={input}
          reason={false}
          readForm={readRotation}
          renderResult={(result) => isCredentials(result) && <ApplicationCredentials {...result} />}
        >
          <CheckboxField name="atOnce" label="End the old secret and its tokens at once" />
          <TextField
            name="stolenSince"
            label="Stolen since"
            hint="Only if somebody else may have had the old secret: it ends at once, users’ tokens end too, and what it has linked since then signs nobody in."
            type="datetime-local"
          />
        </ActionButton>
      )}
      <ActionButton
        action="applications.origins"
        label="Origins"
        title={`Origins of ${name}`}
        lead="The pages of these origins may call the API for it."
        input={input}
        reason={false}
        readForm={(form) => changeOf(origins, linesOf(form, 'origins'))}
      >
        <TextAreaField name="origins" label="Origins" hint="One a line." defaultValue={origins.join('\n')} />
      </ActionButton>
      <ActionButton
        action="applications.disable"
        label="Disable"
        title={`Disable ${name}`}
        lead="It is for good."
        input={input}
        reason={false}
        tone="danger"
      />
    </span>
  );
}

/** What turns the origins of an application into others. */
function changeOf(before: readonly string[], after: readonly string[]): { add: string[]; remove: string[] } {
  return { add: after.filter((origin) => !before.includes(origin)), remove: before.filter((origin) => !after.includes(origin)) };
}

/** A time in the reader's zone, or none. */
function readRotation(form: FormData): { atOnce?: boolean; stolenSince?: string } {
  const since = form.get('stolenSince');
  if (typeof since === 'string' && since !== '') return { stolenSince: new Date(since).toISOString() };
  return form.get('atOnce') === null ? {} : { atOnce: true };
}

function readRegistration(form: FormData): Record<string, unknown> {
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const lines = (name: string) => text(name).split(/\s+/).filter(Boolean);
  return {
    kind: text('kind'),
    name: text('name'),
    permission: text('permission'),
    redirectUris: lines('redirectUris'),
    origins: lines('origins'),
    isReadOnly: form.has('isReadOnly'),
    isConfidential: form.has('isConfidential'),
    refreshNeedsSecret: form.has('refreshNeedsSecret'),
    ...Object.fromEntries(
      ['owner', 'privacyPolicyUrl', 'termsUrl'].flatMap((name) => (text(name) === '' ? [] : [[name, text(name)] as const])),
    ),
  };
}
