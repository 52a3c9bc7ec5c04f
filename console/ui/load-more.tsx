export type Pages = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };

/** Goes on with a list that has more pages. */
export const LoadMore = ({ list }: { list: Pages }) =>
  list.hasNextPage ? (
    <button
      type="button"
      class="more"
      disabled={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      {list.isFetchingNextPage ? 'Loading…' : 'Load more'}
    </button>
  ) : null;
