import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../api/session-context.ts';
import { morePartsOf } from '../api/more-parts.ts';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Page, Toolbar } from '../design/page.tsx';
import { Segmented } from '../design/segmented.tsx';
import { Time } from '../design/time.tsx';
import { ApprovalDialog, ApprovalState } from './approval-dialog.tsx';
import { type Approval, type ApprovalFilter, approvalQuery, approvalsQuery } from './queries.ts';

const columns: readonly Column<Approval>[] = [
  { id: 'requestedAt', header: 'Asked for', cell: ({ requestedAt }) => <Time at={requestedAt} />, width: '8rem' },
  { id: 'requestedBy', header: 'By', cell: ({ requestedBy }) => requestedBy, width: '8rem' },
  { id: 'description', header: 'What', cell: ({ description }) => description, width: 'minmax(18rem, 1fr)' },
  { id: 'state', header: 'State', cell: (approval) => <ApprovalState approval={approval} />, width: '9rem' },
  { id: 'decidedBy', header: 'Decided by', cell: ({ decidedBy }) => decidedBy ?? '–', width: '8rem' },
];

const filters: readonly { value: ApprovalFilter; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'all', label: 'All' },
];

/** What waits for a second pair of eyes, and what became of it. */
export function ApprovalsPage() {
  const { fourEyes } = useSession();
  const [filter, setFilter] = useState<ApprovalFilter>('open');
  const [opened, setOpened] = useState<Approval>();
  const { approval: named } = useSearch({ from: '/app/approvals' });
  const navigate = useNavigate();
  const list = useSuspenseInfiniteQuery(approvalsQuery(filter));
  const { data } = list;
  const approvals = data.pages.flatMap((page) => page.approvals);
  return (
    <Page
      title="Approvals"
      lead={
        fourEyes
          ? 'What moves money or grants power is carried out when another operator approves it.'
          : 'This service carries out everything at once: FOUR_EYES is off.'
      }
    >
      <Toolbar>
        <Segmented label="Which approvals" options={filters} value={filter} onChange={setFilter} />
      </Toolbar>
      <DataTable
        label="Approvals"
        columns={columns}
        rows={approvals}
        rowKey={({ id }) => id}
        onOpen={setOpened}
        {...morePartsOf(list)}
        empty={<EmptyState title="Nothing waits for a second person.">What others ask for appears here.</EmptyState>}
      />
      {opened && <ApprovalDialog key={opened.id} read={opened} onClose={() => setOpened(undefined)} />}
      {named !== undefined && <NamedApproval key={named} id={named} onClose={() => void navigate({ to: '/approvals', replace: true })} />}
    </Page>
  );
}

/** The request that the address names. As in the list, the decision is on what was read when it was opened. */
function NamedApproval({ id, onClose }: { id: string; onClose: () => void }) {
  const { data } = useSuspenseQuery(approvalQuery(id));
  const [read] = useState(data);
  return <ApprovalDialog read={read} onClose={onClose} />;
}
