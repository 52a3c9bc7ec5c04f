import * as z from 'zod';
import type { IntegrationType } from '../../contract/integration-types.ts';
import { HostFailed } from '../repository-lists.ts';
import type { CheckedToken, TokenChecks } from '../token-checks.ts';
import { AddressRefused, type GuardedFetch } from './guarded-fetch.ts';

/** Whoever asks waits for it. */
const TIMEOUT_MILLISECONDS = 5_000;

type Said = { status: number; headers: Headers; body: unknown };

/** A token that was taken may still lack what this question needs. */
const ANSWERED: readonly number[] = [200, 403];

type Api = {
  url: (host: string) => string;
  /** Statuses of answers to a token that was taken; absent: 200 and 403. */
  known?: readonly number[];
  scheme: 'Bearer' | 'token';
  /** What an answer says, beside whether the token was taken. */
  read: (said: Said) => Omit<CheckedToken, 'isTaken'>;
};

const nothingSaid: Omit<CheckedToken, 'isTaken'> = {
  user: undefined,
  expiresAt: undefined,
  scopes: undefined,
  mayRead: undefined,
  maySetStatuses: undefined,
  missing: [],
};

const login = z.object({ login: z.string().min(1) });
const userIn = (body: unknown): string | undefined => login.safeParse(body).data?.login;

/** `repo, read:org`; undefined where the host says nothing of scopes, as of GitHub's fine-grained tokens. */
const scopesIn = (headers: Headers): string[] | undefined =>
  headers
    .get('x-oauth-scopes')
    ?.split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '');

const timeIn = (text: string | null | undefined): string | undefined => {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
};

const selfOfGitLab = z.object({
  name: z.string().nullish(),
  scopes: z.array(z.string()),
  expires_at: z.string().nullish(),
});

const oneOf = (scopes: readonly string[], ...wanted: string[]): boolean =>
  wanted.some((scope) => scopes.includes(scope));

const apis: Record<IntegrationType, Api> = {
  github: {
    url: (host) => (host === 'github.com' ? 'https://api.github.com/user' : `https://${host}/api/v3/user`),
    scheme: 'Bearer',
    read({ headers, body }) {
      const scopes = scopesIn(headers);
      // `2026-12-01 10:00:00 UTC`
      const expiresAt = timeIn(headers.get('github-authentication-token-expiration'));
      const said = { ...nothingSaid, user: userIn(body), expiresAt };
      if (scopes === undefined) return said;
      const mayRead = oneOf(scopes, 'repo', 'public_repo');
      const maySetStatuses = oneOf(scopes, 'repo', 'public_repo', 'repo:status');
      return { ...said, scopes, mayRead, maySetStatuses, missing: mayRead ? [] : ['repo'] };
    },
  },
  gitea: {
    url: (host) => `https://${host}/api/v1/user`,
    scheme: 'token',
    // It takes the token and wants another scope for this question.
    read: ({ status, body }) => ({
      ...nothingSaid,
      user: userIn(body),
      missing: status === 403 ? ['read:user'] : [],
    }),
  },
  gitlab: {
    url: (host) => `https://${host}/api/v4/personal_access_tokens/self`,
    // So it answers to tokens of other kinds.
    known: [...ANSWERED, 400, 404],
    scheme: 'Bearer',
    read({ body }) {
      const self = selfOfGitLab.safeParse(body).data;
      // Of other kinds of tokens it says nothing.
      if (self === undefined) return nothingSaid;
      const { scopes } = self;
      const [fetches, lists] = [
        oneOf(scopes, 'api', 'read_repository', 'write_repository'),
        oneOf(scopes, 'api', 'read_api'),
      ];
      return {
        user: self.name ?? undefined,
        expiresAt: timeIn(self.expires_at),
        scopes,
        mayRead: fetches,
        maySetStatuses: scopes.includes('api'),
        missing: [...(fetches ? [] : ['read_repository']), ...(lists ? [] : ['read_api'])],
      };
    },
  },
  bitbucket: {
    url: (host) => `https://api.${host}/2.0/repositories?role=member&pagelen=1`,
    scheme: 'Bearer',
    read({ headers }) {
      const scopes = scopesIn(headers);
      if (scopes === undefined) return nothingSaid;
      const mayRead = scopes.some((scope) => /^repository(?::|$)/.test(scope));
      const maySetStatuses = oneOf(scopes, 'repository:write', 'repository:admin');
      return { ...nothingSaid, scopes, mayRead, maySetStatuses, missing: mayRead ? [] : ['repository'] };
    },
  },
};

/** Asks the API of each kind of host. */
export const createTokenChecks = (fetch: GuardedFetch): TokenChecks => ({
  async check({ type, host, token }) {
    const { url, scheme, read, known = ANSWERED } = apis[type];
    const headers = {
      authorization: `${scheme} ${token}`,
      accept: 'application/json',
      'user-agent': 'slipway',
    };
    const said = await answerOf(host, () =>
      fetch(url(host), { headers, signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) }),
    );
    if (said.status === 401) return { ...nothingSaid, isTaken: false };
    if (!known.includes(said.status)) throw new HostFailed(`${host} (HTTP ${said.status})`);
    return { ...read(said), isTaken: true };
  },
});

/** What a host says of failures may quote the request, and is not passed on. */
async function answerOf(host: string, request: () => Promise<Response>): Promise<Said> {
  try {
    const response = await request();
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: jsonIn(text) };
  } catch (error) {
    if (error instanceof AddressRefused) throw new HostFailed(`${host} (${error.message})`);
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw new HostFailed(isLate ? `${host} (no answer within 5 s)` : `${host} (it could not be reached)`);
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
