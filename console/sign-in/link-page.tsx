import { useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { queryClient } from '../api/query-client.ts';
import { signInByLink } from '../api/sign-in.ts';
import { Banner } from '../design/banner.tsx';
import { ButtonLink } from '../design/button.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

/** Follows a sign-in link, such as that of the sandbox. Its secret is behind `#`, where no server and no log sees it. */
export function LinkPage() {
  const router = useRouter();
  const { mutate, error } = useMutation({
    mutationFn: signInByLink,
    onSuccess: async () => {
      queryClient.clear();
      await router.navigate({ to: '/', replace: true });
    },
  });
  // React calls effects twice in development, and a link is valid once.
  const followed = useRef(false);
  useEffect(() => {
    if (followed.current) return;
    followed.current = true;
    mutate(window.location.hash.slice(1));
  }, [mutate]);
  return (
    <SignInFrame title={error ? 'The link is not valid' : 'Signing in…'}>
      {error && (
        <>
          <Banner tone="negative" title={error.message} />
          <ButtonLink to="/sign-in">Sign in another way</ButtonLink>
        </>
      )}
    </SignInFrame>
  );
}
