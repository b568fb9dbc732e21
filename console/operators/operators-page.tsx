import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Operators. */
export function OperatorsPage() {
  return (
    <Page title="Operators">
      <EmptyState title="Nothing is shown here yet." />
    </Page>
  );
}
