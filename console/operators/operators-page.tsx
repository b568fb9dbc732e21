import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
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
import { Time } from '../design/time.tsx';
import { InvitationCodeButton } from './invitation-code-button.tsx';
import { InvitationLink, isInvitationResult } from './invitation-result.tsx';
import styles from './operators-page.module.css';

type Operator = InferResponseType<typeof api.operators.$get>['operators'][number];

const operatorsQuery = queryOptions({
  queryKey: ['operators'],
  queryFn: async ({ signal }) => (await api.operators.$get({}, { init: { signal } })).json(),
});

const roles: readonly { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: sees' },
  { value: 'reviewer', label: 'Reviewer: customers' },
  { value: 'treasurer', label: 'Treasurer: orders, bank, webhooks' },
  { value: 'administrator', label: 'Administrator: everything' },
];

const columns: readonly Column<Operator>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name, width: 'minmax(7rem, 2fr)' },
  { id: 'role', header: 'Role', cell: ({ role }) => role, width: '8rem' },
  { id: 'state', header: 'State', cell: (operator) => <OperatorState operator={operator} />, width: '9rem' },
  { id: 'factors', header: 'Signs in by', cell: (operator) => <Factors operator={operator} />, width: 'minmax(9rem, 2fr)' },
  {
    id: 'lastSeenAt',
    header: 'Last seen',
    cell: ({ lastSeenAt }) => (lastSeenAt === null ? 'never' : <Time at={lastSeenAt} />),
    width: '8rem',
  },
  { id: 'actions', header: 'Actions', cell: (operator) => <OperatorActions operator={operator} />, align: 'end', width: '17rem' },
];

/** Who may sign in to the console, and as what. */
export function OperatorsPage() {
  const { data } = useSuspenseQuery(operatorsQuery);
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
        rows={data.operators}
        rowKey={({ name }) => name}
        empty={<EmptyState title="There are no operators yet." />}
      />
    </Page>
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
