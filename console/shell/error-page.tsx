import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ApiError, ConsoleAwayError } from '../api/api-error.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { Banner } from '../design/banner.tsx';
import { Button } from '../design/button.tsx';
import { Page } from '../design/page.tsx';

/** Shown instead of a page that could not be read or rendered. */
export function ErrorPage({ error: thrown, reset }: ErrorComponentProps) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const router = useRouter();
  if (error instanceof ApiError && error.status === 404) return <NotFoundPage />;
  const tryAgain = async () => {
    await router.invalidate();
    reset();
  };
  return (
    <Page title="This page cannot be shown">
      <Banner tone="negative" title={error.message} actions={<Button onClick={() => void tryAgain()}>Try again</Button>}>
        {adviceOf(error)}
      </Banner>
    </Page>
  );
}

function adviceOf(error: Error): string {
  if (error instanceof ConsoleAwayError) return 'It may be restarting. Nothing that you sent before is lost.';
  if (error instanceof ApiError) return `Code ${error.code}.`;
  return 'This is a fault of the console itself. What the ledger does goes on.';
}
