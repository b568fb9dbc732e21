import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Applications. */
export function ApplicationsPage() {
  return (
    <Page title="Applications">
      <EmptyState title="Nothing is shown here yet." />
    </Page>
  );
}
