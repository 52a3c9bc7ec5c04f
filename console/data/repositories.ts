import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import type { Answer } from '../../lib/client/endpoints.ts';
import { ask } from './api.ts';

const PAGE_LENGTH = 100;
/** More is found by typing the address. */
const PAGES_MAX = 5;
const INTEGRATIONS_MAX = 10;
/** What was seen of a host is not asked again for every key that is typed. */
const FRESH_MILLISECONDS = 60_000;

export type Installed = Answer<'GET /v1/integrations/github/install'>[number];
type Seen = Answer<'GET /v1/integrations/github/{integration_id}/repos'>[number];
export type SeenRepository = Seen & { integration: Installed };

/** The integrations that a repository can be read with. */
export const useInstalled = (isEnabled = true) =>
  useQuery({
    queryKey: ['installed integrations'],
    enabled: isEnabled,
    queryFn: ({ signal }) => ask('GET /v1/integrations/github/install', {}, signal),
  });

async function seenBy(integration: Installed, signal: AbortSignal): Promise<SeenRepository[]> {
  const all: SeenRepository[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = { limit: PAGE_LENGTH, offset: page * PAGE_LENGTH };
    const params = { integration_id: integration.id };
    const some = await ask('GET /v1/integrations/github/{integration_id}/repos', { params, query }, signal);
    all.push(...some.map((each) => ({ ...each, integration })));
    if (some.length < PAGE_LENGTH) return all;
  }
  return all;
}

/** What the tokens of the integrations see, and which of them could not be asked, with the reason of each. */
export const useRepositories = (installed: readonly Installed[] | undefined) =>
  useQuery({
    queryKey: ['repositories', installed?.map(({ id }) => id)],
    enabled: installed !== undefined && installed.length > 0,
    staleTime: FRESH_MILLISECONDS,
    queryFn: async ({ signal }) => {
      const asked = (installed ?? []).slice(0, INTEGRATIONS_MAX);
      const answers = await Promise.allSettled(asked.map((each) => seenBy(each, signal)));
      const failed = answers.flatMap((answer, index) =>
        answer.status === 'rejected' ? [{ integration: asked[index], error: answer.reason as unknown }] : [],
      );
      return {
        repositories: answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : [])),
        failed,
      };
    },
  });

export type Place = { repoUrl: string; integrationId: string };

const ofPlace = ({ repoUrl, integrationId }: Place) => ({ repo_url: repoUrl, integration_id: integrationId });

/** The branches of a repository; asked for nothing while its address is empty. */
export const useBranches = (place: Place) =>
  useQuery({
    queryKey: ['branches', place],
    enabled: place.repoUrl !== '',
    staleTime: FRESH_MILLISECONDS,
    retry: false,
    queryFn: ({ signal }) => ask('GET /v2/repositories/branches', { query: ofPlace(place) }, signal),
  });

export type Look = Answer<'GET /v2/repositories/look'>;
export type LookAt = Place & { ref: string; folder: string; configPath: string };

/** What a build would find there. The last answer stays while the next one is on its way. */
export const useLook = ({ ref, folder, configPath, ...place }: LookAt) =>
  useQuery({
    queryKey: ['look', place, ref, folder, configPath],
    enabled: place.repoUrl !== '',
    staleTime: FRESH_MILLISECONDS,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      ask(
        'GET /v2/repositories/look',
        { query: { ...ofPlace(place), ref, root_directory: folder, config_path: configPath } },
        signal,
      ),
  });

/** Whether a deployment of this name is there; nothing is asked for ''. */
export const useIsTaken = (name: string) =>
  useQuery({
    queryKey: ['is taken', name],
    enabled: name !== '',
    queryFn: async ({ signal }) => {
      const { resources } = await ask('GET /v2/deployments', { query: { name, limit: 1 } }, signal);
      return resources.some((each) => each.name === name);
    },
  });

const NEIGHBOURS_MAX = 10;

/** Some deployments that a listener serves: their addresses say what another one's will be. */
export const useNeighbours = (listenerId: string | undefined) =>
  useQuery({
    queryKey: ['neighbours', listenerId],
    enabled: listenerId !== undefined,
    staleTime: FRESH_MILLISECONDS,
    queryFn: async ({ signal }) => {
      const query = { limit: NEIGHBOURS_MAX, status: ['READY'], listener_id: listenerId ?? '' } as const;
      return (await ask('GET /v2/deployments', { query }, signal)).resources;
    },
  });
