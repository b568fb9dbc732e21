import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Orders. */
export function OrdersPage() {
  return (
    <Page title="Orders">
      <EmptyState title="Nothing is shown here yet." />
    </Page>
  );
}
