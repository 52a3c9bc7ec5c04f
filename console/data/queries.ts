import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/preact-query';
import type { Answer, Ask, Deployment, Endpoint } from '../../lib/client/endpoints.ts';
import { isEmptyFirst } from '../../lib/client/revision.ts';
import { ask, client } from './api.ts';
import { queryClient } from './poll.ts';

export const PAGE_LENGTH = 50;
export type ListFilters = { name: string; status: Deployment['status'] | '' };

/** Who is signed in; asked once. */
export const useMe = () =>
  useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => ask('GET /v2/me', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The deployments that the filters let through, newest first, by pages. */
export const useDeployments = ({ name, status }: ListFilters) =>
  useInfiniteQuery({
    queryKey: ['deployments', name, status],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => {
      const query = {
        limit: PAGE_LENGTH,
        offset: pageParam,
        include: ['latest_revision'],
        traffic: true,
      } as const;
      return ask(
        'GET /v2/deployments',
        { query: { ...query, name_contains: name, status: status && [status] } },
        signal,
      );
    },
    getNextPageParam: ({ resources, offset }) => (resources.length < PAGE_LENGTH ? undefined : offset),
    placeholderData: keepPreviousData,
  });

/** Without an id nothing is asked. */
export const useDeployment = (id: string | undefined) =>
  useQuery({
    queryKey: ['deployment', id],
    enabled: id !== undefined,
    queryFn: ({ signal }) =>
      ask('GET /v2/deployments/{deployment_id}', { params: { deployment_id: id ?? '' } }, signal),
  });

/**
 * What a form is filled from, with the tag of that very version. Nothing is kept of it, for the next form is
 * not to be filled from what this one has changed.
 */
export const useTaggedDeployment = (id: string) =>
  useQuery({
    queryKey: ['deployment', id, 'tagged'],
    gcTime: 0,
    queryFn: ({ signal }) =>
      client.askTagged('GET /v2/deployments/{deployment_id}', { params: { deployment_id: id } }, { signal }),
  });

export const REVISIONS_PER_PAGE = 50;
export type RevisionFilters = Pick<
  Ask<'GET /v2/deployments/{deployment_id}/revisions'>['query'] & object,
  'status'
>;
const EVERY: RevisionFilters = {};

type RevisionPage = Answer<'GET /v2/deployments/{deployment_id}/revisions'>;

const withoutEmptyFirst = ({ pages, ...rest }: InfiniteData<RevisionPage, number>) => ({
  ...rest,
  pages: pages.map((page) => ({ ...page, resources: page.resources.filter((each) => !isEmptyFirst(each)) })),
});

/** The revisions, newest first, but for the empty one that a deployment begins with before its first upload. */
export const useRevisions = (id: string | undefined, filters: RevisionFilters = EVERY) =>
  useInfiniteQuery({
    queryKey: ['deployment', id, 'revisions', filters],
    enabled: id !== undefined,
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filters, limit: REVISIONS_PER_PAGE, offset: pageParam };
      const params = { deployment_id: id ?? '' };
      return ask('GET /v2/deployments/{deployment_id}/revisions', { params, query }, signal);
    },
    getNextPageParam: ({ resources, offset }) => (resources.length < REVISIONS_PER_PAGE ? undefined : offset),
    select: withoutEmptyFirst,
  });

/** One revision with what it is built and run with. */
export const useRevision = (id: string, revisionId: string | null) =>
  useQuery({
    queryKey: ['deployment', id, 'revision', revisionId],
    enabled: revisionId !== null,
    queryFn: ({ signal }) => {
      const params = { deployment_id: id, revision_id: revisionId ?? '' };
      const query = { include: ['configuration'] } as const;
      return ask('GET /v2/deployments/{deployment_id}/revisions/{revision_id}', { params, query }, signal);
    },
  });

/** A change. Afterwards everything that is shown is asked again; its answer, which may hold a secret, goes. */
export const useChange = <E extends Endpoint>(endpoint: E, onDone?: (answer: Answer<E>) => void) =>
  useMutation({
    mutationFn: (parts: Ask<E>) => ask(endpoint, parts),
    gcTime: 0,
    onSuccess: async (answer) => {
      onDone?.(answer);
      await queryClient.invalidateQueries();
    },
  });
