import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Overview. */
export function OverviewPage() {
  return (
    <Page title="Overview">
      <EmptyState title="Nothing is shown here yet." />
    </Page>
  );
}
