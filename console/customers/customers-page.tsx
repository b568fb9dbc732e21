import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Customers. */
export function CustomersPage() {
  return (
    <Page title="Customers">
      <EmptyState title="Nothing is shown here yet." />
    </Page>
  );
}
