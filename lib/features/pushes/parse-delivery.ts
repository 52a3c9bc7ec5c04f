import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { IntegrationType } from '../../contract/integration-types.ts';
import { repositoryName } from '../../domain/repository-name.ts';
import type { Received } from './signature.ts';

/** What a delivery says, in the words of all hosts. */
export type ParsedDelivery = {
  /** As its host names it. */
  id: string;
  event: string;
  repository: string | undefined;
  ref: string | undefined;
  /** Absent: nothing was pushed to a branch; `reason` says what came instead. */
  push: Push | undefined;
  reason: string | undefined;
};

export type Push = {
  /** All addresses of the repository, as `repositoryName` gives them. */
  names: string[];
  branches: { name: string; isDeleted: boolean }[];
  /** What the commits that it tells of say of themselves, by their ids. */
  said: ReadonlyMap<string, Said>;
};
export type Said = { message: string; author: string; at: string };

const text = z.string().max(4096);
const commit = z.object({
  id: text,
  message: z.string(),
  timestamp: text,
  author: z.object({ name: z.string() }),
});

/** GitHub, Gitea and Forgejo. */
const githubPush = z.object({
  ref: text,
  after: text,
  deleted: z.boolean().optional(),
  repository: z.object({
    full_name: text.optional(),
    clone_url: text.optional(),
    ssh_url: text.optional(),
    html_url: text.optional(),
  }),
  commits: z.array(commit).catch([]),
  head_commit: commit.nullish().catch(undefined),
});

const gitlabPush = z.object({
  object_kind: z.enum(['push', 'tag_push']),
  ref: text,
  after: text,
  project: z.object({
    path_with_namespace: text.optional(),
    git_http_url: text.optional(),
    git_ssh_url: text.optional(),
    web_url: text.optional(),
  }),
  commits: z.array(commit).catch([]),
});

const bitbucketPush = z.object({
  push: z.object({
    changes: z.array(
      z.object({
        new: z
          .object({
            type: text,
            name: text,
            target: z.object({
              hash: text,
              message: z.string(),
              date: text,
              author: z.object({ raw: z.string() }),
            }),
          })
          .nullable(),
        old: z.object({ type: text, name: text }).nullable(),
      }),
    ),
  }),
  repository: z.object({ full_name: text, links: z.object({ html: z.object({ href: text }) }) }),
});

const BRANCH = 'refs/heads/';
const NO_COMMIT = /^0+$/;

/**
 * Reads a delivery whose signature has held. Undefined: its body is no JSON, or a push without the fields
 * that its host documents.
 */
export function parseDelivery(type: IntegrationType, received: Received): ParsedDelivery | undefined {
  const { headers } = received;
  const body = jsonOf(received);
  if (body === undefined) return undefined;
  const first = (...names: string[]) => names.map((name) => headers[name]).find((value) => value);
  const fallback = createHash('sha256').update(received.body).digest('hex');
  switch (type) {
    case 'github': {
      const id = first('x-github-delivery') ?? fallback;
      return byRef(id, first('x-github-event') ?? 'unknown', githubPush, body, fromGitHub);
    }
    case 'gitea': {
      const id = first('x-forgejo-delivery', 'x-gitea-delivery') ?? fallback;
      const event = first('x-forgejo-event', 'x-gitea-event') ?? 'unknown';
      return byRef(id, event, githubPush, body, fromGitHub);
    }
    case 'gitlab': {
      // The event's own id is shared by all hooks that one action sets off.
      const id = first('idempotency-key', 'webhook-id', 'x-gitlab-event-uuid') ?? fallback;
      const kind = z.object({ object_kind: text }).safeParse(body).data?.object_kind;
      const event = kind ?? first('x-gitlab-event') ?? 'unknown';
      return byRef(id, event === 'tag_push' ? 'push' : event, gitlabPush, body, fromGitLab);
    }
    case 'bitbucket': {
      const event = first('x-event-key') ?? 'unknown';
      const id = first('x-request-uuid') ?? fallback;
      return fromBitbucket(id, event === 'repo:push' ? 'push' : event, body);
    }
  }
}

/** JSON, as it is or in the field `payload` of a form. */
function jsonOf({ headers, body }: Received): unknown {
  const plain = Buffer.from(body).toString('utf8');
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  try {
    return JSON.parse(isForm ? (new URLSearchParams(plain).get('payload') ?? '') : plain);
  } catch {
    return undefined;
  }
}

const notPush = (id: string, event: string): ParsedDelivery => ({
  id,
  event,
  repository: undefined,
  ref: undefined,
  push: undefined,
  reason: event === 'ping' ? 'a ping: nothing was pushed' : `the event '${event}' is no push`,
});

type Pushed = {
  ref: string;
  isDeleted: boolean;
  repository: string | undefined;
  addresses: (string | undefined)[];
  commits: z.output<typeof commit>[];
};

function byRef<S extends z.ZodType>(
  id: string,
  event: string,
  schema: S,
  body: unknown,
  read: (push: z.output<S>) => Pushed,
): ParsedDelivery | undefined {
  if (event !== 'push') return notPush(id, event);
  const parsed = schema.safeParse(body);
  if (!parsed.success) return undefined;
  const { ref, isDeleted, repository, addresses, commits } = read(parsed.data);
  const isBranch = ref.startsWith(BRANCH);
  const said = new Map(
    commits.map((each) => [each.id, { message: each.message, author: each.author.name, at: each.timestamp }]),
  );
  const branches = [{ name: ref.slice(BRANCH.length), isDeleted }];
  return {
    id,
    event,
    repository,
    ref,
    push: isBranch ? { names: namesOf(addresses), branches, said } : undefined,
    reason: isBranch ? undefined : `'${ref}' is no branch`,
  };
}

const namesOf = (addresses: (string | undefined)[]): string[] => [
  ...new Set(addresses.flatMap((address) => (address && repositoryName(address)) || [])),
];

const fromGitHub = ({
  ref,
  after,
  deleted,
  repository,
  commits,
  head_commit,
}: z.output<typeof githubPush>) => ({
  ref,
  isDeleted: deleted === true || NO_COMMIT.test(after),
  repository: repository.full_name,
  addresses: [repository.clone_url, repository.ssh_url, repository.html_url],
  commits: head_commit ? [...commits, head_commit] : commits,
});

const fromGitLab = ({ ref, after, project, commits }: z.output<typeof gitlabPush>) => ({
  ref,
  isDeleted: NO_COMMIT.test(after),
  repository: project.path_with_namespace,
  addresses: [project.git_http_url, project.git_ssh_url, project.web_url],
  commits,
});

function fromBitbucket(id: string, event: string, body: unknown): ParsedDelivery | undefined {
  if (event !== 'push') return notPush(id, event);
  const parsed = bitbucketPush.safeParse(body);
  if (!parsed.success) return undefined;
  const { push, repository } = parsed.data;
  const said = new Map(
    push.changes.flatMap(({ new: pushed }): [string, Said][] => {
      if (pushed === null) return [];
      const { hash, message, author, date } = pushed.target;
      return [[hash, { message, author: author.raw.replace(/<[^<>]*>\s*$/, '').trimEnd(), at: date }]];
    }),
  );
  const branches = push.changes.flatMap(({ new: pushed, old }) => {
    const named = pushed ?? old;
    return named?.type === 'branch' ? [{ name: named.name, isDeleted: pushed === null }] : [];
  });
  const ref = branches.map(({ name }) => `${BRANCH}${name}`).join(' ') || undefined;
  return {
    id,
    event,
    repository: repository.full_name,
    ref,
    push:
      branches.length === 0 ? undefined : { names: namesOf([repository.links.html.href]), branches, said },
    reason: branches.length === 0 ? 'no branch was pushed' : undefined,
  };
}
