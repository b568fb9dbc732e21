import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Approvals. */
export function ApprovalsPage() {
  return (
    <Page title="Approvals">
      <EmptyState title="Nothing is shown here yet." />
    </Page>
  );
}
