import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Button } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { BankFrame } from './bank-frame.tsx';
import { UnmatchedCredit } from './unmatched-credit.tsx';
import { unmatchedQuery } from './queries.ts';

/** The credits that became no order, the oldest first. */
export function UnmatchedPage() {
  const { credit: only } = useSearch({ from: '/app/bank' });
  const list = useSuspenseInfiniteQuery(unmatchedQuery(only));
  const { data } = list;
  const credits = data.pages.flatMap((page) => page.rows);
  return (
    <BankFrame title="Unmatched credits">
      {only !== undefined && (
        <p>
          Only the credit {only}. <Link to="/bank">Show all</Link>
        </p>
      )}
      {credits.length === 0 && only !== undefined && <EmptyState title="This credit does not wait any more." />}
      {credits.length === 0 && only === undefined && (
        <EmptyState title="No unmatched credits.">Money that reaches the bank and belongs to nobody we know appears here.</EmptyState>
      )}
      {credits.map((credit) => (
        <UnmatchedCredit key={credit.reference} credit={credit} />
      ))}
      {list.hasNextPage && (
        <Button disabled={list.isFetching} onClick={() => void list.fetchNextPage()}>
          {list.isFetchingNextPage ? 'Loading…' : 'Show more'}
        </Button>
      )}
    </BankFrame>
  );
}
