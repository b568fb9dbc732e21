import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Bank. */
export function BankPage() {
  return (
    <Page title="Bank">
      <EmptyState title="Nothing is shown here yet." />
    </Page>
  );
}
