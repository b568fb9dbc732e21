import { ButtonLink } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Shown for an address that is no page. */
export function NotFoundPage() {
  return (
    <Page title="There is no such page">
      <EmptyState title="The address leads nowhere.">
        <ButtonLink to="/">Go to the overview</ButtonLink>
      </EmptyState>
    </Page>
  );
}
