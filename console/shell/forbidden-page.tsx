import { useSession } from '../api/session-context.ts';
import type { Role } from '../api/session.ts';
import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';

/** Shown instead of a page that the operator's role may not see. */
export function ForbiddenPage({ roles }: { roles: readonly Role[] }) {
  const session = useSession();
  return (
    <Page title="You may not see this page">
      <EmptyState title={`Your role is ${session.role}.`}>
        This page is for the role {[...new Set([...roles, 'administrator'])].join(' or ')}. An administrator can change your role under
        Operators.
      </EmptyState>
    </Page>
  );
}
