import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/preact-query';
import type { Ask, Endpoint, ListEndpoint, Listed } from '../../lib/client/endpoints.ts';
import { ask, client } from './api.ts';

/**
 * The feed of events tells of deployments alone: these lists are asked again by themselves, in a tab that is
 * seen.
 */
const MOVING_MILLISECONDS = 2_000;
const STILL_MILLISECONDS = 15_000;
const pollEvery = (isMoving: boolean): number => (isMoving ? MOVING_MILLISECONDS : STILL_MILLISECONDS);

const ROWS_PER_PAGE = 50;
const ROWS_MAX = 100;

type Page<T> = { resources: T[]; offset: number };

async function pageOf<E extends ListEndpoint>(
  endpoint: E,
  parts: Ask<E>,
  { limit, offset }: { limit: number; offset: number },
  signal: AbortSignal,
): Promise<Page<Listed<E>>> {
  const query = { ...('query' in parts && typeof parts.query === 'object' && parts.query), limit, offset };
  return ask(endpoint, { ...parts, query }, signal);
}

type Options<T> = {
  /** Not asked until this is true. */
  isEnabled?: boolean;
  /** Whether a row may soon change by itself. */
  isMoving?: (row: T) => boolean;
};

/** A list by pages, and its rows so far; undefined until there is an answer. */
export function useList<E extends ListEndpoint>(
  endpoint: E,
  parts: Ask<E>,
  { isEnabled = true, isMoving = () => false }: Options<Listed<E>> = {},
) {
  const list = useInfiniteQuery({
    queryKey: [endpoint, parts],
    enabled: isEnabled,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      pageOf(endpoint, parts, { limit: ROWS_PER_PAGE, offset: pageParam }, signal),
    getNextPageParam: ({ resources, offset }) => (resources.length < ROWS_PER_PAGE ? undefined : offset),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      pollEvery(data?.pages.some(({ resources }) => resources.some(isMoving)) ?? false),
  });
  return { ...list, rows: list.data?.pages.flatMap(({ resources }) => resources) };
}

/** The newest hundred of a list: what is chosen from. */
export const useChoices = <E extends ListEndpoint>(endpoint: E, parts: Ask<E>, isEnabled = true) =>
  useQuery({
    queryKey: [endpoint, parts, 'choices'],
    enabled: isEnabled,
    queryFn: async ({ signal }) =>
      (await pageOf(endpoint, parts, { limit: ROWS_MAX, offset: 0 }, signal)).resources,
  });

/** Every row of a list, however many pages it has. */
export const useAll = <E extends ListEndpoint>(endpoint: E, parts: Ask<E>) =>
  useQuery({
    queryKey: [endpoint, parts, 'all'],
    queryFn: async ({ signal }) => {
      const all: Listed<E>[] = [];
      for await (const row of client.list(endpoint, parts, { signal })) all.push(row);
      return all;
    },
  });

/** One answer, asked again from time to time. */
export const useAnswer = <E extends Endpoint>(endpoint: E, parts: Ask<E>, isEnabled = true) =>
  useQuery({
    queryKey: [endpoint, parts],
    enabled: isEnabled,
    queryFn: ({ signal }) => ask(endpoint, parts, signal),
    refetchInterval: pollEvery(false),
  });
