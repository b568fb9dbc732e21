import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Button } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { BankFrame } from './bank-frame.tsx';
import { UnmatchedCredit } from './unmatched-credit.tsx';
import { unmatchedQuery } from './queries.ts';

/** The credits that became no order, the oldest first. */
export function UnmatchedPage() {
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery(unmatchedQuery);
  const credits = data.pages.flatMap((page) => page.credits);
  return (
    <BankFrame title="Unmatched credits">
      {credits.length === 0 && (
        <EmptyState title="No unmatched credits.">Money that reaches the bank and belongs to nobody we know appears here.</EmptyState>
      )}
      {credits.map((credit) => (
        <UnmatchedCredit key={credit.reference} credit={credit} />
      ))}
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? 'Loading…' : 'Show more'}
        </Button>
      )}
    </BankFrame>
  );
}
