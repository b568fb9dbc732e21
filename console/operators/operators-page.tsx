import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { InferResponseType } from 'hono/client';
import type { Role } from '../api/session.ts';
import { api } from '../api/client.ts';
import { useSession } from '../api/session-context.ts';
import { ActionButton } from '../design/action-button.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { SelectField, TextField } from '../design/form-field.tsx';
import { Page } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import textStyles from '../design/text.module.css';
import { Time } from '../design/time.tsx';
import { InvitationCodeButton } from './invitation-code-button.tsx';
import { InvitationLink, isInvitationResult } from './invitation-result.tsx';
import styles from './operators-page.module.css';

type Listed = InferResponseType<typeof api.operators.$get>;
type Operator = Listed['operators'][number];
type Requested = Listed['requested'][number];
/** An operator, or one whose addition waits for a second person. */
type Row = { operator: Operator; requested?: never } | { operator?: never; requested: Requested };

const operatorsQuery = queryOptions({
  queryKey: ['operators'],
  queryFn: async ({ signal }) => (await api.operators.$get({}, { init: { signal } })).json(),
  meta: { topics: ['approvals'] },
});

const roles: readonly { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: sees' },
  { value: 'reviewer', label: 'Reviewer: customers' },
  { value: 'treasurer', label: 'Treasurer: orders, bank, webhooks' },
  { value: 'administrator', label: 'Administrator: everything' },
];

const columns: readonly Column<Row>[] = [
  { id: 'name', header: 'Name', cell: (row) => (row.operator ?? row.requested).name, width: 'minmax(7rem, 2fr)' },
  { id: 'role', header: 'Role', cell: (row) => (row.operator ?? row.requested).role, width: '7.5rem' },
  {
    id: 'state',
    header: 'State',
    cell: ({ operator }) => (operator ? <OperatorState operator={operator} /> : <StateBadge state="requested" tone="attention" />),
    width: '9rem',
  },
  {
    id: 'factors',
    header: 'Signs in by',
    cell: ({ operator, requested }) => (operator ? <Factors operator={operator} /> : <AskedFor requested={requested} />),
    width: 'minmax(8rem, 2fr)',
  },
  {
    id: 'lastSeenAt',
    header: 'Last seen',
    cell: ({ operator }) => (operator?.lastSeenAt ? <Time at={operator.lastSeenAt} /> : 'never'),
    width: '6rem',
  },
  {
    id: 'actions',
    header: 'Actions',
    cell: ({ operator }) => operator && <OperatorActions operator={operator} />,
    align: 'end',
    width: '15.5rem',
  },
];

/** Who may sign in to the console, and as what. */
export function OperatorsPage() {
  const { data } = useSuspenseQuery(operatorsQuery);
  const rows: Row[] = [...data.requested.map((requested) => ({ requested })), ...data.operators.map((operator) => ({ operator }))];
  return (
    <Page
      title="Operators"
      actions={
        <ActionButton action="operators.add" label="Add an operator" tone="primary" reason={false} renderResult={renderInvitation}>
          <TextField name="name" label="Name" hint="The audit log names the operator by it." required autoComplete="off" />
          <SelectField name="role" label="Role" options={roles} defaultValue="viewer" />
        </ActionButton>
      }
    >
      <DataTable
        label="Operators"
        columns={columns}
        rows={rows}
        rowKey={({ operator, requested }) => operator?.name ?? requested?.approval ?? ''}
        empty={<EmptyState title="There are no operators yet." />}
      />
    </Page>
  );
}

/** Who asked for the operator, and where a second person approves it. */
function AskedFor({ requested: { approval, requestedBy, requestedAt } }: { requested: Requested }) {
  return (
    <>
      <Link to="/approvals" search={{ approval }}>
        Waits for approval
      </Link>
      <span className={textStyles.note}>
        asked for by {requestedBy} <Time at={requestedAt} />
      </span>
    </>
  );
}

function OperatorState({ operator }: { operator: Operator }) {
  const { environment } = useSession();
  const { disabledAt, hasPassword, passkeys, invitedUntil } = operator;
  if (disabledAt !== null) return <StateBadge state="disabled" />;
  if (hasPassword || passkeys > 0 || signsInByLink(operator, environment)) return <StateBadge state="active" />;
  return invitedUntil === null ? <StateBadge state="invitation expired" tone="attention" /> : <StateBadge state="invited" />;
}

function OperatorActions({ operator: { name, role, disabledAt } }: { operator: Operator }) {
  const session = useSession();
  if (disabledAt !== null) {
    return (
      <ActionButton
        action="operators.enable"
        label="Enable"
        title={`Enable ${name}`}
        lead="For somebody who was disabled by mistake, or is back: with a new invitation, because nothing that they signed in with counts any more."
        input={{ name }}
        reason={false}
        renderResult={renderInvitation}
      />
    );
  }
  return (
    <span className={styles.actions}>
      <ActionButton action="operators.role" label="Role" title={`Role of ${name}`} input={{ name }} reason={false}>
        <SelectField name="role" label="Role" options={roles} defaultValue={role} />
      </ActionButton>
      {name !== session.name && (
        <ActionButton
          action="operators.reset"
          label="Invite anew"
          title={`Invite ${name} anew`}
          lead="For somebody who has lost the means to sign in."
          input={{ name }}
          reason={false}
          renderResult={renderInvitation}
        />
      )}
      <ActionButton
        action="operators.disable"
        label="Disable"
        title={`Disable ${name}`}
        lead="The sessions end at once."
        input={{ name }}
        reason={false}
        tone="danger"
      />
    </span>
  );
}

/** The operator of the sandbox signs in by the link that its start prints (docs/console.md, Operators). */
function signsInByLink({ name }: Operator, environment: string): boolean {
  return environment === 'sandbox' && name === 'sandbox';
}

function renderInvitation(result: unknown) {
  return isInvitationResult(result) && <InvitationLink {...result} />;
}

/** What an operator signs in with; of an invitation that waits for its code, how whoever asked for it makes the code. */
function Factors({ operator }: { operator: Operator }) {
  const session = useSession();
  if (signsInByLink(operator, session.environment)) return 'the link that the sandbox prints';
  return operator.codeMaker === session.name ? <InvitationCodeButton name={operator.name} /> : factorsOf(operator);
}

function factorsOf({ hasPassword, passkeys, recoveryCodes }: Operator): string {
  const parts = [
    ...(hasPassword ? ['password and code'] : []),
    ...(passkeys > 0 ? [passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`] : []),
    ...(recoveryCodes > 0 ? [`${recoveryCodes} recovery codes`] : []),
  ];
  return parts.length === 0 ? '–' : parts.join(', ');
}
