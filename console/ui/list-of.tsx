import type { ComponentChildren } from 'preact';
import { LoadMore, type Pages } from './load-more.tsx';
import { Problem, Skeleton } from './states.tsx';

type List<T> = {
  rows: readonly T[] | undefined;
  error: Error | null;
  refetch: () => unknown;
} & (Pages | object);

type Props<T> = {
  list: List<T>;
  /** What is shown when there is nothing. */
  empty: ComponentChildren;
  children: (rows: readonly T[]) => ComponentChildren;
};

/** A list in whatever state it is: on its way, refused, empty, or there. */
export const ListOf = <T,>({ list, empty, children }: Props<T>) => (
  <>
    {list.error !== null && <Problem error={list.error} retry={() => void list.refetch()} />}
    {list.rows === undefined && list.error === null && <Skeleton rows={3} />}
    {list.rows?.length === 0 && empty}
    {list.rows !== undefined && list.rows.length > 0 && children(list.rows)}
    {'hasNextPage' in list && <LoadMore list={list} />}
  </>
);
