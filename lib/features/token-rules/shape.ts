import * as z from 'zod';
import { withoutNulls } from '../../contract/validation/json.ts';
import { resourceName } from '../../contract/validation/name.ts';
import { always, report, textRule, valueError } from '../../contract/validation/problems.ts';
import { id } from '../../contract/validation/query.ts';

/** Rules by which tokens of CI are exchanged for keys. docs/identity.md explains them. */

const ISSUER_LENGTH_MAX = 255;
const CLAIM_LENGTH_MAX = 255;
const TOKEN_LENGTH_MAX = 16_384;

/** What keys of CI may do at most is what a developer may. */
const tokenRuleRoles = ['viewer', 'developer'] as const;

/** The number that a provider gives a repository for good: a name can be given up, and taken by another. */
const number = z
  .string()
  .regex(
    /^[1-9]\d{0,18}$/,
    'give the number that the provider has given it, not its name; there are no patterns',
  );

/** What a claim has to be, letter by letter. */
const exact = z
  .string()
  .min(1)
  .max(CLAIM_LENGTH_MAX)
  .regex(/^[^\p{Cc}*]+$/u, 'a rule takes one value, letter by letter: * stands for nothing');

/** Branches and tags may have the same name, so a ref is given in full. */
const ref = exact.superRefine(
  textRule((text) =>
    text.startsWith('refs/') ? undefined : 'give the ref in full, as in refs/heads/main or refs/tags/v1',
  ),
);

/** Which provider's number it is has to be clear. */
function checkFit(body: unknown, ctx: z.RefinementCtx): void {
  if (typeof body !== 'object' || body === null) return;
  const { repository_id, project_id }: Record<string, unknown> = { ...body };
  const given = [repository_id, project_id].filter((each) => each !== undefined && each !== null);
  if (given.length === 0)
    report(ctx, valueError("give 'repository_id' (of GitHub) or 'project_id' (of GitLab)"), [
      'repository_id',
    ]);
  if (given.length === 2)
    report(ctx, valueError("give 'repository_id' or 'project_id', not both"), ['project_id']);
}

/** `POST /v2/token-rules`. */
export const createTokenRuleBody = z
  .object({
    name: resourceName,
    /** The address of the issuer, letter by letter. */
    issuer: z.string().min(1).max(ISSUER_LENGTH_MAX),
    /** GitHub's number of the repository. */
    repository_id: number.nullish(),
    /** GitLab's number of the project. */
    project_id: number.nullish(),
    ref: ref.nullish(),
    environment: exact.nullish(),
    /** GitHub's `event_name`, GitLab's `pipeline_source`. Absent: any but those of pull and merge requests. */
    event_name: exact.nullish(),
    role: z.enum(tokenRuleRoles),
  })
  .superRefine(checkFit, always)
  .transform(withoutNulls);

export const tokenRuleView = z.object({
  id: z.guid(),
  name: z.string(),
  issuer: z.string(),
  repository_id: z.string().nullable(),
  project_id: z.string().nullable(),
  /** Null: any. */
  ref: z.string().nullable(),
  /** Null: any, and none. */
  environment: z.string().nullable(),
  /** Null: any but those of pull and merge requests. */
  event_name: z.string().nullable(),
  role: z.enum(tokenRuleRoles),
  created_at: z.string(),
  created_by: z.string(),
});
export type TokenRuleView = z.input<typeof tokenRuleView>;
export const tokenRuleListView = z.object({ resources: z.array(tokenRuleView), offset: z.int() });

/** `POST /v2/token` (RFC 8693), as a form or as JSON. */
export const exchangeTokenBody = z
  .object({
    /** `urn:ietf:params:oauth:grant-type:token-exchange`. */
    grant_type: z.string(),
    /** The token of the issuer; a JWT. */
    subject_token: z.string().min(1).max(TOKEN_LENGTH_MAX),
    /** `urn:ietf:params:oauth:token-type:jwt` or `…:id_token`. */
    subject_token_type: z.string(),
    /** Where rules of several tenants fit; the header `X-Tenant-Id` says it too. */
    tenant_id: id.nullish(),
  })
  .transform(withoutNulls);

/** A key, for the header `X-Api-Key`; it is shown this once. */
export const exchangedTokenView = z.object({
  access_token: z.string(),
  issued_token_type: z.literal('urn:ietf:params:oauth:token-type:access_token'),
  /** It is no bearer token: the header `X-Api-Key` takes it. */
  token_type: z.literal('N_A'),
  /** Seconds. */
  expires_in: z.int(),
  tenant_id: z.guid(),
  role: z.enum(tokenRuleRoles),
  /** Which rule it was given by. */
  rule_id: z.guid(),
});
