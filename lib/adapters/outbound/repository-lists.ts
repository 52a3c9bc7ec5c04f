import * as z from 'zod';
import type { IntegrationType } from '../../contract/integration-types.ts';
import {
  HostFailed,
  ListingRefused,
  type RepositoryLists,
  type SeenRepository,
} from '../repository-lists.ts';
import { AddressRefused, type GuardedFetch } from './guarded-fetch.ts';

/** Whoever asks waits for it. */
const TIMEOUT_MILLISECONDS = 5_000;
/** As many as every host gives at once. */
const PAGE_LENGTH = 50;

const text = z.string().min(1);
const branch = text.nullish().catch(undefined);

/** GitHub, Gitea and Forgejo. */
const ofGitHub = z
  .array(
    z.object({
      id: z.int(),
      name: text,
      owner: z.object({ login: text }),
      clone_url: text,
      default_branch: branch,
    }),
  )
  .transform((list) =>
    list.map(({ id, name, owner, clone_url: url, default_branch }) => ({
      ...{ id, name, owner: owner.login, url },
      defaultBranch: default_branch ?? undefined,
    })),
  );
const ofGitLab = z
  .array(
    z.object({
      id: z.int(),
      path: text,
      namespace: z.object({ full_path: text }),
      http_url_to_repo: text,
      default_branch: branch,
    }),
  )
  .transform((list) =>
    list.map(({ id, path, namespace, http_url_to_repo: url, default_branch }) => ({
      ...{ id, name: path, owner: namespace.full_path, url },
      defaultBranch: default_branch ?? undefined,
    })),
  );
const ofBitbucket = z
  .object({
    values: z.array(
      z.object({
        slug: text,
        workspace: z.object({ slug: text }),
        links: z.object({ html: z.object({ href: text }) }),
        mainbranch: z.object({ name: text }).nullish().catch(undefined),
      }),
    ),
  })
  .transform(({ values }) =>
    values.map(({ slug, workspace, links, mainbranch }) => ({
      ...{ id: undefined, name: slug, owner: workspace.slug, url: links.html.href },
      defaultBranch: mainbranch?.name,
    })),
  );

type Api = {
  url: (host: string, page: number) => string;
  scheme: 'Bearer' | 'token';
  answer: z.ZodType<SeenRepository[]>;
};

const apis: Record<IntegrationType, Api> = {
  github: {
    url: (host, page) => {
      const api = host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
      return `${api}/user/repos?per_page=${PAGE_LENGTH}&page=${page}`;
    },
    scheme: 'Bearer',
    answer: ofGitHub,
  },
  gitea: {
    url: (host, page) => `https://${host}/api/v1/user/repos?limit=${PAGE_LENGTH}&page=${page}`,
    scheme: 'token',
    answer: ofGitHub,
  },
  gitlab: {
    url: (host, page) =>
      `https://${host}/api/v4/projects?membership=true&per_page=${PAGE_LENGTH}&page=${page}`,
    scheme: 'Bearer',
    answer: ofGitLab,
  },
  bitbucket: {
    url: (host, page) =>
      `https://api.${host}/2.0/repositories?role=member&pagelen=${PAGE_LENGTH}&page=${page}`,
    scheme: 'Bearer',
    answer: ofBitbucket,
  },
};

/** Asks the API of each kind of host. */
export const createRepositoryLists = (fetch: GuardedFetch): RepositoryLists => ({
  async list({ type, host, token }, { offset, limit }) {
    const signal = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
    const { url, scheme, answer } = apis[type];
    const first = Math.floor(offset / PAGE_LENGTH);
    const last = Math.floor((offset + limit - 1) / PAGE_LENGTH);
    const ask = async (page: number): Promise<SeenRepository[]> => {
      const headers = {
        authorization: `${scheme} ${token}`,
        accept: 'application/json',
        'user-agent': 'slipway',
      };
      const body = await bodyOf(host, () => fetch(url(host, page + 1), { headers, signal }));
      const read = answer.safeParse(body);
      if (!read.success) throw new HostFailed(`${host} (its answer is none of a host of type ${type})`);
      return read.data;
    };
    const pages = await Promise.all(Array.from({ length: last - first + 1 }, (_, at) => ask(first + at)));
    return pages.flat().slice(offset - first * PAGE_LENGTH, offset - first * PAGE_LENGTH + limit);
  },
});

/** What a host says of failures may quote the request, and is not passed on. */
async function bodyOf(host: string, request: () => Promise<Response>): Promise<unknown> {
  try {
    const response = await request();
    if (response.ok) return await response.json();
    await response.body?.cancel();
    if (response.status === 401 || response.status === 403)
      throw new ListingRefused(`${host} does not take the token (HTTP ${response.status})`);
    throw new HostFailed(`${host} (HTTP ${response.status})`);
  } catch (error) {
    if (error instanceof ListingRefused || error instanceof HostFailed) throw error;
    if (error instanceof AddressRefused)
      throw new ListingRefused(`${host} cannot be asked: ${error.message}`);
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw new HostFailed(
      isLate ? `${host} (no answer within 5 s)` : `${host} (it could not be reached or read)`,
    );
  }
}
