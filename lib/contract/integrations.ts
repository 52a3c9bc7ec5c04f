import * as z from 'zod';
import { withoutNulls } from './validation/json.ts';
import { textRule } from './validation/problems.ts';

/** Access to repositories of one host. Token and webhook secret are taken and never shown. */

export const integrationTypes = ['github'] as const;
const DEFAULT_HOST = 'github.com';

const NAME_LENGTH_MAX = 128;
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

/** `POST /v2/integrations`. */
export const createIntegrationBody = z
  .object({
    type: z.enum(integrationTypes),
    host: host.nullish(),
    /** Absent: the host. */
    name: z
      .string()
      .min(1)
      .max(NAME_LENGTH_MAX)
      .regex(/^\P{Cc}+$/u, 'a name contains no control characters')
      .nullish(),
    token: credential,
    webhook_secret: credential.nullish(),
    /**
     * Whether submodules of a deployment's repository get the token too, if they are on the host. Absent: no.
     */
    submodules: z.boolean().nullish(),
  })
  .transform(withoutNulls)
  .transform((body) => ({ ...body, host: body.host ?? DEFAULT_HOST }));
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

/** `GET /v1/integrations/github/install`: what clients choose an `integration_id` from. */
export const installedIntegrationsView = z.array(
  z.object({ id: z.guid(), name: z.string(), host: z.string() }),
);
