import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Webhooks. */
export function WebhooksPage() {
  return (
    <Page title="Webhooks">
      <EmptyState title="Nothing is shown here yet." />
    </Page>
  );
}
