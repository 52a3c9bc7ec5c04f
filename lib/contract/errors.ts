import { type ErrorShape, limitErrors } from './limit-errors.ts';
import { loginErrors } from './login-errors.ts';
import { tokenErrors } from './token-errors.ts';
import { repeatable } from './validation/repeatable.ts';

/**
 * The status and text of every error but 422; its name here is its `code` on the wire, which never changes.
 * docs/api.md says what each status means.
 */
export const errors = {
  source_configuration: {
    status: 400,
    detail: (p: { reason: string }) => `Source configuration error: ${p.reason}`,
  },
  upload_source: {
    status: 400,
    detail: (_: object) =>
      "Upload URLs are only available for 'internal_source' and 'internal_docker' source deployments",
  },
  push_source: {
    status: 400,
    detail: (_: object) => "Push tokens are only available for 'internal_docker' source deployments",
  },
  push_client: {
    status: 400,
    detail: (_: object) =>
      "This installation's image registry is Amazon ECR, which takes its own user name and repository: update the client to one that sends 'supports_registry_username' (langgraph-cli 0.4.35 or later), or let it build remotely (--remote).",
  },
  immutable_field: {
    status: 400,
    detail: (p: { field: string }) => `'${p.field}' cannot be changed after creation.`,
  },
  not_utf8: {
    status: 400,
    detail: (p: { where: string }) => `The ${p.where} contains bytes that are not UTF-8; send text in UTF-8.`,
  },
  listener_required: {
    status: 400,
    detail: (p: { why: string }) => `'source_config.listener_id' is required: ${p.why}`,
  },
  state_refused: {
    status: 400,
    detail: (_: object) =>
      "'state' is unknown, belongs to somebody else, was used already or has expired; start again with POST /v2/auth/authenticate.",
  },
  consent_failed: {
    status: 400,
    detail: (p: { reason: string }) =>
      `The code could not be exchanged for a token: ${p.reason} Start again with POST /v2/auth/authenticate.`,
  },
  confirmation_refused: {
    status: 400,
    detail: (p: { left: number }) => `The confirmation code is wrong; attempts left: ${p.left}.`,
  },
  unauthenticated: {
    status: 401,
    /** `isKeyAsBearer` says how a text looks, never whether it is a key. */
    detail: (p: { isKeyAsBearer?: boolean }) =>
      p.isKeyAsBearer === true
        ? 'Invalid or missing credentials: an API key is sent in the header X-Api-Key, not as a bearer token.'
        : 'Invalid or missing credentials',
    headers: { 'www-authenticate': 'ApiKey realm="slipway", header="X-Api-Key", Bearer realm="slipway"' },
  },
  tenant_required: {
    status: 403,
    detail: (_: object) =>
      'This credential requires workspace specification: send the tenant id in the X-Tenant-Id header.',
  },
  permission_missing: {
    status: 403,
    /** `member`: the role of who has no key; `given`: the role that was to be given or taken. */
    detail: (p: { permission: string; member?: string | undefined; given?: string | undefined }) =>
      `${p.member === undefined ? 'API key' : `The user, whose role is '${p.member}',`} lacks permission '${p.permission}'` +
      (p.given === undefined
        ? ''
        : `, which the role '${p.given}' holds: only who has it can give or take that role`),
  },
  tenant_forbidden: {
    status: 403,
    detail: (p: { tenant: string }) => `API key has no access to tenant '${p.tenant}'`,
  },
  membership_missing: {
    status: 403,
    detail: (p: { tenant: string }) => `The user has no access to tenant '${p.tenant}'`,
  },
  membership_none: {
    status: 403,
    detail: (_: object) => 'The user is a member of no tenant; an administrator of one can add them.',
  },
  listener_forbidden: {
    status: 403,
    detail: (p: { id: string }) => `API key is not bound to listener '${p.id}'`,
  },
  console_code_refused: {
    status: 403,
    detail: (_: object) =>
      'This link to the console is over: it works once, within five minutes. Make another with npm run slipway -- console.',
  },
  path_not_found: { status: 404, detail: (_: object) => 'Not found.' },
  deployment_not_found: { status: 404, detail: (p: { id: string }) => `Deployment ID ${p.id} not found.` },
  revision_not_found: { status: 404, detail: (p: { id: string }) => `Revision ID ${p.id} not found.` },
  listener_not_found: { status: 404, detail: (p: { id: string }) => `Listener ID ${p.id} not found.` },
  api_key_not_found: { status: 404, detail: (p: { id: string }) => `API key ID ${p.id} not found.` },
  member_not_found: { status: 404, detail: (p: { id: string }) => `Member ID ${p.id} not found.` },
  tenant_not_found: { status: 404, detail: (p: { id: string }) => `Tenant ID ${p.id} not found.` },
  task_not_found: { status: 404, detail: (p: { id: string }) => `Task ID ${p.id} not found.` },
  webhook_not_found: { status: 404, detail: (p: { id: string }) => `Webhook ID ${p.id} not found.` },
  delivery_not_found: { status: 404, detail: (p: { id: string }) => `Delivery ID ${p.id} not found.` },
  integration_not_found: { status: 404, detail: (p: { id: string }) => `Integration ID ${p.id} not found.` },
  oauth_provider_not_found: {
    status: 404,
    detail: (p: { providerId: string }) => `OAuth provider '${p.providerId}' not found.`,
  },
  oauth_token_not_found: { status: 404, detail: (p: { id: string }) => `OAuth token ID ${p.id} not found.` },
  connection_not_found: { status: 404, detail: (p: { id: string }) => `Connection ID ${p.id} not found.` },
  auth_request_not_found: {
    status: 404,
    detail: (p: { id: string }) => `Authentication request ID ${p.id} not found.`,
  },
  no_registry: {
    status: 404,
    detail: (_: object) => 'This installation has no image registry, so there are no credentials for one.',
  },
  method_not_allowed: {
    status: 405,
    detail: (p: { method: string; allowed: string[] }) =>
      `Method ${p.method} is not allowed here; allowed: ${p.allowed.join(', ')}.`,
  },
  name_taken: {
    status: 409,
    detail: (p: { name: string; pendingDeletion?: string | undefined }) =>
      `Deployment with name '${p.name}' already exists.${p.pendingDeletion === undefined ? '' : ` ${p.pendingDeletion}`}`,
  },
  listener_taken: {
    status: 409,
    detail: (p: { tenantId: string; computeId: string }) =>
      `Listener for workspace ID '${p.tenantId}' and compute ID '${p.computeId}' already exists.`,
  },
  oauth_provider_taken: {
    status: 409,
    detail: (p: { providerId: string }) => `OAuth provider '${p.providerId}' already exists.`,
  },
  listener_in_use: {
    status: 409,
    detail: (p: {
      computeId: string;
      count: number;
      deleting: number;
      exampleName: string;
      exampleId: string;
    }) =>
      `Listener ${p.computeId} is used by ${p.count} ${p.count === 1 ? 'deployment' : 'deployments'}${p.deleting === 0 ? '' : ` (${p.deleting} of them being deleted)`}, '${p.exampleName}' (${p.exampleId}) among them; delete them first.`,
  },
  listener_closing: {
    status: 409,
    detail: (p: { computeId: string }) =>
      `Listener ${p.computeId} is being deleted and takes no new deployments; choose another listener, or repeat the deletion if it was interrupted.`,
  },
  namespace_in_use: {
    status: 409,
    detail: (p: { namespace: string; computeId: string; exampleName: string; exampleId: string }) =>
      `Namespace '${p.namespace}' of listener ${p.computeId} is used by deployment '${p.exampleName}' (${p.exampleId}); delete it first.`,
  },
  namespace_closing: {
    status: 409,
    detail: (p: { namespace: string; computeId: string }) =>
      `Namespace '${p.namespace}' is being removed from listener ${p.computeId} and takes no new deployments; choose another namespace, or patch the listener's k8s_namespaces again if that was interrupted.`,
  },
  host_taken: {
    status: 409,
    detail: (p: { host: string; deploymentId: string; pendingDeletion?: string | undefined }) =>
      `Host '${p.host}' of 'custom_url' is already claimed on the same listener by deployment ${p.deploymentId}.${p.pendingDeletion === undefined ? '' : ` ${p.pendingDeletion}`}`,
  },
  agent_taken: {
    status: 409,
    detail: (p: { agentId: string; environment: string }) =>
      `A deployment for agent '${p.agentId}' in environment '${p.environment}' already exists.`,
  },
  token_expired: {
    status: 409,
    detail: (p: { providerId: string }) =>
      `token_expired: OAuth provider '${p.providerId}' no longer accepts this grant; request consent again with POST /v2/auth/authenticate.`,
  },
  state_forbids: { status: 409, detail: (p: { reason: string }) => p.reason },
  nothing_to_run: {
    status: 409,
    detail: (p: { id: string; status: string }) => `Revision ${p.id} has nothing to run: ${p.status}`,
  },
  ...limitErrors,
  ...loginErrors,
  ...tokenErrors,
  auth_request_over: {
    status: 409,
    detail: (_: object) =>
      'This authentication request is complete or has expired; start again with POST /v2/auth/authenticate.',
  },
  lease_taken: {
    status: 409,
    detail: (p: { id: string }) => `Task ${p.id} is held under another lease; stop working on it.`,
  },
  idempotency_mismatch: {
    status: 409,
    detail: (_: object) => 'Idempotency-Key was used for another request',
  },
  idempotency_under_way: {
    status: 409,
    detail: (_: object) => 'A request with this Idempotency-Key is still in progress; send it again.',
    headers: { 'retry-after': '2' },
  },
  version_mismatch: {
    status: 412,
    detail: (p: { asked: string; current: string }) =>
      `If-Match names version ${p.asked}, but the current version is ${p.current}.`,
  },
  body_too_large: {
    status: 413,
    detail: (p: { sizeBytesMax: number }) => `Request body is larger than ${p.sizeBytesMax} bytes.`,
  },
  media_type: {
    status: 415,
    detail: (p: { type: string }) => `Content-Type '${p.type}' is not supported; send application/json.`,
  },
  internal: { status: 500, detail: (_: object) => 'Internal server error' },
  provider_unavailable: {
    status: 503,
    detail: (p: { providerId: string }) =>
      `OAuth provider '${p.providerId}' is not responding correctly at the moment; try again.`,
    headers: { 'retry-after': '2' },
  },
  unavailable: {
    status: 503,
    detail: (p: { what: string }) => `${p.what} is not responding at the moment; try again.`,
    headers: { 'retry-after': '2' },
  },
} as const satisfies Record<string, ErrorShape>;

/** What a 422 has for its `code`: its texts are in the list. */
export const VALIDATION_CODE = 'validation_error';

export type ErrorCode = keyof typeof errors;
export type ErrorParams<C extends ErrorCode> = Parameters<(typeof errors)[C]['detail']>[0];

/** A refusal in our own words. Use cases and the store throw it; the HTTP chain turns it into an answer. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Record<string, string>;
  /** What OAuth calls it, to its clients. */
  readonly oauth: string | undefined;

  constructor(code: ErrorCode, detail: string, headers: Record<string, string>) {
    // It may quote what was asked for, and that may be half a character.
    super(detail.toWellFormed());
    this.name = 'ApiError';
    this.code = code;
    const shape: ErrorShape = errors[code];
    this.status = shape.status;
    this.oauth = shape.oauth;
    this.headers = headers;
  }
}

/** Makes the refusal `code`; the parameters it needs are checked by the compiler. Throw what it returns. */
export function refuse<C extends ErrorCode>(
  code: C,
  params: ErrorParams<C>,
  headers: Record<string, string> = {},
): ApiError {
  const shape: ErrorShape = errors[code];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the map's value types are a union; C ties the parameters to their own text function
  const detail = (shape.detail as (p: ErrorParams<C>) => string)(params);
  return new ApiError(code, detail, { ...shape.headers, ...headers });
}

/** One problem of a request, in the pydantic v2 vocabulary that clients of such APIs know. */
export type ValidationItem = {
  loc: (string | number)[];
  msg: string;
  type: string;
  input?: unknown;
  ctx?: Record<string, unknown>;
};

/**
 * 422: all problems of a request at once. No item repeats a secret: the user name and password of an address
 * are taken out here.
 */
export class ValidationError extends Error {
  readonly items: ValidationItem[];

  constructor(found: ValidationItem[]) {
    const items = found.map(repeatable);
    super(items.map((item) => `${item.loc.join('.')}: ${item.msg}`).join('; '));
    this.name = 'ValidationError';
    this.items = items;
  }
}
