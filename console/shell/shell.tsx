import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useMatches, useRouterState } from '@tanstack/react-router';
import { Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { useLiveStream } from '../api/live.ts';
import { hasRole, SessionProvider, useSession } from '../api/session-context.ts';
import { type SessionState, useSessionState } from '../api/session-end.ts';
import { sessionQuery } from '../api/session.ts';
import { OpenedActionDialog } from '../design/action-button.tsx';
import { ForbiddenPage } from './forbidden-page.tsx';
import { Header } from './header.tsx';
import { LiveBanner } from './live-banner.tsx';
import { Navigation, NavigationDrawer } from './navigation.tsx';
import { SessionEnded, SessionEnding } from './session-end.tsx';
import styles from './shell.module.css';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { useShortcuts } from './shortcuts.ts';

/** What surrounds every page of somebody who is signed in. Nothing of it stays when the session ends. */
export function Shell() {
  const state = useSessionState();
  return state.is === 'ended' ? <SessionEnded /> : <SignedInShell state={state} />;
}

function SignedInShell({ state }: { state: SessionState }) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [drawerOpen, setDrawerOpen] = useState(false);
  const [shortcutsOpen, setShortcutsOpen] = useState(false);
  const openShortcuts = useCallback(() => setShortcutsOpen(true), []);
  useLiveStream();
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
          <SessionEnding state={state} />
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
