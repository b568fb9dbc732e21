import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Audit. */
export function AuditPage() {
  return (
    <Page title="Audit">
      <EmptyState title="Nothing is shown here yet." />
    </Page>
  );
}
