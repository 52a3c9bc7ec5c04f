import type { Ask } from '../support/http/raw-request.ts';

/** What the cases name of the program they are sent to; the deployment's one revision was skipped. */
export type Place = {
  tenantId: string;
  listenerId: string;
  listenerKey: string;
  deploymentId: string;
  revisionId: string;
};

export type Refusal = {
  what: string;
  ask: (on: Place) => Ask;
  status: number;
  detail: string | RegExp | ((on: Place) => string);
  headers?: Record<string, string | RegExp>;
};

const NOBODY = '01890000-0000-7000-8000-00000000abcd';
const github = { repo_url: 'https://git.example/team/app.git' };
const creation = (changes: object) => ({
  method: 'POST',
  path: '/v2/deployments',
  body: { name: 'refused', source_config: github, source_revision_config: {}, ...changes },
});
const ofDeployment = (on: Place, rest = '') => `/v2/deployments/${on.deploymentId}${rest}`;
const ofRevision = (on: Place, rest: string) => ofDeployment(on, `/revisions/${on.revisionId}${rest}`);
const change = (on: Place, body: object | string, headers = {}): Ask => ({
  method: 'PATCH',
  path: ofDeployment(on),
  body,
  headers,
});

/** 400: the body, or what it says of the source. */
const malformed: Refusal[] = [
  {
    what: 'a source that contradicts its fields',
    ask: () => creation({ source: 'github', source_config: {} }),
    status: 400,
    detail: /^Source configuration error: .*repo_url/,
  },
  {
    what: 'two kinds of source at once',
    ask: () => creation({ source_revision_config: { image_uri: 'team/app:1' } }),
    status: 400,
    detail: /^Source configuration error: \S+/,
  },
  {
    what: 'no source at all',
    ask: () => creation({ source_config: {} }),
    status: 400,
    detail: /^Source configuration error: \S+/,
  },
  {
    what: 'a tarball on create',
    ask: () =>
      creation({
        source: 'internal_source',
        source_config: {},
        source_revision_config: { source_tarball_path: 'x' },
      }),
    status: 400,
    detail: /^Source configuration error: .*source_tarball_path/,
  },
  {
    what: 'pushing to a registry that is not there',
    ask: () => creation({ source: 'internal_docker', source_config: {} }),
    status: 400,
    detail:
      'Source configuration error: this installation has no image registry; deploy from source (--remote) or give image_uri',
  },
  {
    what: 'building on push from a tag',
    ask: () =>
      creation({
        source_config: { ...github, build_on_push: true },
        source_revision_config: { repo_ref: 'refs/tags/v1' },
      }),
    status: 400,
    detail: /^Source configuration error: .*build_on_push/,
  },
  ...(
    [
      ['name', { name: 'another' }],
      ['source', { source: 'github', source_config: github }],
      ['source_config.listener_id', { source_config: { listener_id: NOBODY } }],
      ['source_config.deployment_type', { source_config: { deployment_type: 'prod' } }],
    ] as const
  ).map(([field, body]) => ({
    what: `another ${field}`,
    ask: (on: Place) => change(on, body),
    status: 400,
    detail: `'${field}' cannot be changed after creation.`,
  })),
  {
    what: 'an image where no listener runs images',
    ask: () => creation({ source_config: {}, source_revision_config: { image_uri: 'team/app:1' } }),
    status: 400,
    detail: /^'source_config\.listener_id' is required: .*image needs a listener of compute_type 'k8s'/,
  },
  {
    what: 'an image on the listener of this machine',
    ask: (on: Place) =>
      creation({
        source_config: { listener_id: on.listenerId },
        source_revision_config: { image_uri: 'team/app:1' },
      }),
    status: 400,
    detail: /^Source configuration error: listener local runs processes .* compute_type 'k8s' would/,
  },
];

/** 401 and 403. */
const forbidden: Refusal[] = [
  ...['none', 'nonsense', `slp_${'a'.repeat(49)}`].map((key) => ({
    what: `the key ${key}`,
    ask: (on: Place) => ({
      method: 'POST',
      path: '/v2/deployments',
      headers: { 'x-api-key': key, 'x-tenant-id': on.tenantId },
      // Nothing is said of it to somebody unknown.
      body: '{',
    }),
    status: 401,
    detail: 'Invalid or missing credentials',
    headers: { 'www-authenticate': /^ApiKey / },
  })),
  {
    what: "a listener's key on another route",
    ask: (on: Place) => ({ path: '/v2/deployments', headers: { 'x-api-key': on.listenerKey } }),
    status: 403,
    detail: "API key lacks permission 'deployments:read'",
  },
  {
    what: "a person's key on a route of listeners",
    ask: (on: Place) => ({ method: 'POST', path: `/v2/listeners/${on.listenerId}/tasks/claim`, body: {} }),
    status: 403,
    detail: "API key lacks permission 'listener:work'",
  },
  {
    what: "a listener's key on another listener's route",
    ask: (on: Place) => ({
      path: `/v2/listeners/${NOBODY}/desired`,
      headers: { 'x-api-key': on.listenerKey },
    }),
    status: 403,
    detail: `API key is not bound to listener '${NOBODY}'`,
  },
  {
    what: 'a foreign tenant',
    ask: () => ({ path: '/v2/deployments', headers: { 'x-tenant-id': NOBODY } }),
    status: 403,
    detail: `API key has no access to tenant '${NOBODY}'`,
  },
];

/** 404 and 405. */
const unknown: Refusal[] = [
  ...(
    [
      ['GET', ''],
      ['PATCH', ''],
      ['GET', '/revisions'],
      ['POST', '/revisions'],
      ['GET', `/revisions/${NOBODY}`],
    ] as const
  ).map(([method, rest]) => ({
    what: `an unknown deployment, ${method} ${rest}`,
    ask: () => ({ method, path: `/v2/deployments/${NOBODY}${rest}` }),
    status: 404,
    detail: `Deployment ID ${NOBODY} not found.`,
  })),
  {
    what: 'logs of an unknown deployment',
    ask: () => ({ method: 'POST', path: `/v1/projects/${NOBODY}/deploy_logs` }),
    status: 404,
    detail: `Deployment ID ${NOBODY} not found.`,
  },
  ...(
    [
      ['GET', ''],
      ['POST', '/redeploy'],
      ['POST', '/interrupt'],
      ['POST', '/interruption'],
      ['GET', '/logs?type=build'],
    ] as const
  ).map(([method, rest]) => ({
    what: `an unknown revision, ${method} ${rest}`,
    ask: (on: Place) => ({ method, path: ofDeployment(on, `/revisions/${NOBODY}${rest}`) }),
    status: 404,
    detail: `Revision ID ${NOBODY} not found.`,
  })),
  {
    what: 'an unknown listener',
    ask: () => ({ path: `/v2/listeners/${NOBODY}` }),
    status: 404,
    detail: `Listener ID ${NOBODY} not found.`,
  },
  {
    what: 'an unknown listener on create',
    ask: () => creation({ source_config: { ...github, listener_id: NOBODY } }),
    status: 404,
    detail: `Listener ID ${NOBODY} not found.`,
  },
  ...[
    '/nothing',
    '/v2',
    '/v2/nothing',
    '/api-host/v3/deployments',
    '/v2/deployments/a/b/c/d',
    '/%E0%A4%A',
  ].map((path) => ({
    what: `the path ${path}`,
    ask: () => ({ path }),
    status: 404,
    detail: 'Not found.',
  })),
  {
    what: 'an artifact without a signature',
    ask: () => ({ path: '/blobs/artifacts/a/b/c.tar' }),
    status: 403,
    detail: /signature/,
  },
  ...(
    [
      ['PUT', '/v2/deployments', 'DELETE, GET, HEAD, POST'],
      ['HEAD', '/v2/events', 'GET'],
      ['OPTIONS', '/v2/deployments', 'DELETE, GET, HEAD, POST'],
      ['POST', `/api-host/v2/deployments/${NOBODY}`, 'DELETE, GET, HEAD, PATCH'],
      ['DELETE', '/ok', 'GET, HEAD'],
      ['PUT', '/v2/auth/tokens/exists', 'GET, HEAD'],
    ] as const
  ).map(([method, path, allow]) => ({
    what: `${method} ${path}`,
    ask: () => ({ method, path }),
    status: 405,
    detail: method === 'HEAD' ? '' : `Method ${method} is not allowed here; allowed: ${allow}.`,
    headers: { allow },
  })),
];

/** 409 and what else a well-formed request is refused for. */
const conflicting: Refusal[] = [
  {
    what: 'a name that is taken',
    ask: () => creation({ name: 'empty' }),
    status: 409,
    detail: "Deployment with name 'empty' already exists.",
  },
  {
    what: 'a listener that is taken',
    ask: () => ({
      method: 'POST',
      path: '/v2/listeners',
      body: { compute_type: 'process', compute_id: 'local', compute_config: { k8s_namespaces: [] } },
    }),
    status: 409,
    detail: (on) => `Listener for workspace ID '${on.tenantId}' and compute ID 'local' already exists.`,
  },
  {
    what: 'interrupting what has finished',
    ask: (on: Place) => ({ method: 'POST', path: ofRevision(on, '/interrupt') }),
    status: 409,
    detail: (on) => `Revision ${on.revisionId} has finished already: SKIPPED.`,
  },
  {
    what: 'redeploying what never had anything to run',
    ask: (on: Place) => ({ method: 'POST', path: ofRevision(on, '/redeploy') }),
    status: 409,
    detail: (on) => `Revision ${on.revisionId} has nothing to run: SKIPPED`,
  },
  {
    what: 'an If-Match of another version',
    ask: (on: Place) => change(on, { secrets: [] }, { 'if-match': '"77"' }),
    status: 412,
    detail: 'If-Match names version "77", but the current version is "1".',
  },
  {
    what: 'a body over 1 MiB',
    ask: (on: Place) => change(on, { secrets: [{ name: 'A', value: 'x'.repeat(1024 * 1024) }] }),
    status: 413,
    detail: 'Request body is larger than 1048576 bytes.',
  },
  {
    what: 'a body of another type',
    ask: (on: Place) => change(on, 'name=a', { 'content-type': 'application/x-www-form-urlencoded' }),
    status: 415,
    detail: "Content-Type 'application/x-www-form-urlencoded' is not supported; send application/json.",
  },
];

export const refusals: Refusal[] = [...malformed, ...forbidden, ...unknown, ...conflicting];
