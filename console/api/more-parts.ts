interface PartedList {
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
}

/**
 * How a table loads what is behind the parts of a list that it shows. Nothing is loaded while these are read again: it would end that reading, and what
 * has changed would stay unseen.
 */
export function morePartsOf({ hasNextPage, isFetching, isFetchingNextPage, fetchNextPage }: PartedList) {
  return { hasMore: hasNextPage, isLoading: isFetchingNextPage, onLoadMore: isFetching ? undefined : fetchNextPage };
}
