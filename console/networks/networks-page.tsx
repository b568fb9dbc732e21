import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Networks. */
export function NetworksPage() {
  return (
    <Page title="Networks">
      <EmptyState title="Nothing is shown here yet." />
    </Page>
  );
}
