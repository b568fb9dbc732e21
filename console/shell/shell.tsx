import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useMatches, useNavigate, useRouterState } from '@tanstack/react-router';
import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useLiveStream } from '../api/live.ts';
import { queryClient } from '../api/query-client.ts';
import { hasRole, SessionProvider, useSession } from '../api/session-context.ts';
import { sessionQuery } from '../api/session.ts';
import { OpenedActionDialog } from '../design/action-button.tsx';
import { ForbiddenPage } from './forbidden-page.tsx';
import { Header } from './header.tsx';
import { LiveBanner } from './live-banner.tsx';
import { Navigation, NavigationDrawer } from './navigation.tsx';
import styles from './shell.module.css';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { useShortcuts } from './shortcuts.ts';

/** What surrounds every page of somebody who is signed in. */
export function Shell() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [drawerOpen, setDrawerOpen] = useState(false);
  const [shortcutsOpen, setShortcutsOpen] = useState(false);
  const openShortcuts = useCallback(() => setShortcutsOpen(true), []);
  useSessionEnd();
  useShortcuts(openShortcuts);
  return (
    <SessionProvider value={session}>
      <a className={styles.skip} href="#content">
        Skip to the content
      </a>
      <Header onMenu={() => setDrawerOpen(true)} onShortcuts={openShortcuts} />
      <div className={styles.frame}>
        <div className={styles.side}>
          <Navigation label="Pages" />
        </div>
        <main id="content" className={styles.main} tabIndex={-1}>
          <LiveBanner />
          <Suspense
            fallback={
              <p className={styles.loading} role="status">
                Loading…
              </p>
            }
          >
            <PermittedPage />
          </Suspense>
        </main>
      </div>
      <NavigationDrawer open={drawerOpen} onOpenChange={setDrawerOpen} />
      <OpenedActionDialog />
      <ShortcutsDialog open={shortcutsOpen} onOpenChange={setShortcutsOpen} />
      <PageFocus />
    </SessionProvider>
  );
}

function PermittedPage() {
  const session = useSession();
  const roles = useMatches({ select: (matches) => matches.findLast(({ staticData }) => staticData.roles)?.staticData.roles });
  if (roles && !hasRole(session, roles)) return <ForbiddenPage roles={roles} />;
  return <Outlet />;
}

/** Goes to the sign-in when the session has ended, and back to this page afterwards. */
function useSessionEnd(): void {
  const navigate = useNavigate();
  const signedOut = useCallback(() => {
    const { pathname, search } = window.location;
    queryClient.clear();
    void navigate({ to: '/sign-in', search: { return: pathname + search, ended: true }, replace: true });
  }, [navigate]);
  useLiveStream(signedOut);
}

/** After going to another page, the focus is on its heading: a keyboard goes on from there, and a screen reader says it. */
function PageFocus() {
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const previous = useRef(pathname);
  useEffect(() => {
    if (previous.current !== undefined && previous.current !== pathname) document.querySelector('h1')?.focus({ preventScroll: true });
    previous.current = pathname;
  }, [pathname]);
  return null;
}
