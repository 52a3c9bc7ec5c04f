import * as z from 'zod';
import { type IntegrationType, integrationTypes } from '../../contract/integration-types.ts';
import { withoutNulls } from '../../contract/validation/json.ts';
import { resourceName } from '../../contract/validation/name.ts';
import { missing, report, textRule } from '../../contract/validation/problems.ts';

/** Access to the repositories of one git host. Token and webhook secret are taken and never shown. */

/** Everybody has a Gitea of their own. */
const defaultHosts: Record<IntegrationType, string | undefined> = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
  gitea: undefined,
};

const HOST_LENGTH_MAX = 255;
/** The longest tokens of such hosts have some hundred characters. */
const TOKEN_LENGTH_MAX = 1024;

/** `github.com`, `git.example:8443`: the name without scheme and path, because only https is spoken. */
const host = z
  .string()
  .toLowerCase()
  .max(HOST_LENGTH_MAX)
  .regex(
    /^([a-z0-9]([a-z0-9-]*[a-z0-9])?)(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[1-9]\d{0,4})?$/,
    "a host is a name in DNS, with a port where it is not 443, such as 'git.example.com:8443'",
  )
  // What ends in a number is an IPv4 address or nothing, and ports end at 65535.
  .superRefine(textRule((text) => (URL.canParse(`https://${text}/`) ? undefined : 'this is no host')));

/** What travels in a header: no spaces, no control characters. */
const credential = z
  .string()
  .min(1)
  .max(TOKEN_LENGTH_MAX)
  .regex(/^[\x21-\x7e]+$/);

/** `PATCH /v2/integrations/{integration_id}`: what is absent or null stays. */
export const changeIntegrationBody = z
  .object({
    name: resourceName.nullish(),
    token: credential.nullish(),
    webhook_secret: credential.nullish(),
    submodules: z.boolean().nullish(),
  })
  .transform(withoutNulls);

/** `POST /v2/integrations`. */
export const createIntegrationBody = z
  .object({
    type: z.enum(integrationTypes),
    host: host.nullish(),
    /** Absent: the host. */
    name: resourceName.nullish(),
    token: credential,
    webhook_secret: credential.nullish(),
    /**
     * Whether submodules of a deployment's repository get the token too, if they are on the host. Absent: no.
     */
    submodules: z.boolean().nullish(),
  })
  .transform(withoutNulls)
  .transform((body, ctx) => {
    const named = body.host ?? defaultHosts[body.type];
    if (named === undefined) {
      report(ctx, missing, ['host']);
      return z.NEVER;
    }
    return { ...body, host: named };
  });
export type CreateIntegrationBody = z.output<typeof createIntegrationBody>;

export const integrationView = z.object({
  id: z.guid(),
  type: z.enum(integrationTypes),
  name: z.string(),
  host: z.string(),
  /** Whether pushes can be proved to come from the host. */
  has_webhook_secret: z.boolean(),
  /** Whether the token also opens submodules on the host. */
  submodules: z.boolean(),
  created_at: z.string(),
  created_by: z.string(),
});
export type IntegrationView = z.input<typeof integrationView>;

export const integrationListView = z.object({ resources: z.array(integrationView), offset: z.int() });

/** `ok` is null where it cannot be told. */
const verdict = { ok: z.boolean().nullable(), says: z.string() };

/** `POST /v2/integrations/{integration_id}/test`: what works, each with a sentence for people. */
export const integrationTestView = z.object({
  token: z.object({
    ...verdict,
    /** Null where the host does not tell. */
    scopes: z.array(z.string()).nullable(),
    /** Scopes that it needs and has not. */
    missing: z.array(z.string()),
    /** Whose it is, as the host names them. */
    user: z.string().nullable(),
    expires_at: z.string().nullable(),
  }),
  /** Whether it sees repositories. */
  repositories: z.object(verdict),
  /** Whether it may show on commits what became of them. */
  statuses: z.object(verdict),
  webhook: z.object({
    ...verdict,
    /** Where the host sends deliveries. */
    url: z.string(),
    last_delivery_at: z.string().nullable(),
    last_event: z.string().nullable(),
  }),
  /** Deployments that read their repositories with it, newest first. */
  deployments: z.array(
    z.object({
      id: z.guid(),
      name: z.string(),
      repo_url: z.string().nullable(),
      build_on_push: z.boolean(),
    }),
  ),
});
export type IntegrationTestView = z.input<typeof integrationTestView>;

/** `GET /v1/integrations/github/install`: what clients choose an `integration_id` from. */
export const installedIntegrationsView = z.array(
  z.object({
    id: z.guid(),
    name: z.string(),
    host: z.string(),
    /** The same as `id`: clients of such APIs read it. */
    installation_id: z.guid(),
  }),
);

/** `GET /v1/integrations/github/{integration_id}/repos`, in the words of clients that make deployments of it. */
export const repositoriesView = z.array(
  z.object({
    /** For `source_config.integration_id`. */
    host_integration_id: z.guid(),
    /** As its host numbers it; null where the host does not. */
    id: z.int().nullable(),
    name: z.string(),
    owner: z.string(),
    /** For `source_config.repo_url`. */
    url: z.string(),
    /** For `source_revision_config.repo_ref`; null where nothing was pushed. */
    default_branch: z.string().nullable(),
  }),
);
