import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { queryClient } from '../api/query-client.ts';
import type { SessionState } from '../api/session-end.ts';
import { Banner } from '../design/banner.tsx';
import { Button } from '../design/button.tsx';
import { SignInFrame } from '../sign-in/sign-in-frame.tsx';
import styles from './live-banner.module.css';

/** Takes the place of everything when the session has ended: goes to the sign-in, and back to this page afterwards. */
export function SessionEnded() {
  const navigate = useNavigate();
  useEffect(() => {
    const { pathname, search } = window.location;
    queryClient.clear();
    void navigate({ to: '/sign-in', search: { return: pathname + search, ended: true }, replace: true });
  }, [navigate]);
  return <SignInFrame title="Your session has ended">{null}</SignInFrame>;
}

/** Warns that the session is about to end. */
export function SessionEnding({ state }: { state: SessionState }) {
  if (state.is !== 'ending') return null;
  const seconds = `${state.secondsLeft} ${state.secondsLeft === 1 ? 'second' : 'seconds'}`;
  return (
    <div className={styles.space}>
      {state.byUse ? (
        <Banner
          tone="attention"
          title="You will be signed out, because nobody uses this page."
          actions={<Button tone="primary">Stay signed in</Button>}
        >
          <span aria-live="off">{seconds} left.</span> Any key or click keeps you signed in.
        </Banner>
      ) : (
        <Banner tone="attention" title="Your session is about to end, because you signed in long ago.">
          <span aria-live="off">{seconds} left.</span> What you have not sent is lost: sign in again to go on.
        </Banner>
      )}
    </div>
  );
}
