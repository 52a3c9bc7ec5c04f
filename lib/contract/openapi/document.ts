import type { RouteRow } from '../routes/route.ts';
import { RELEASE_VERSION } from '../version.ts';
import { type Components, makeComponents } from './components.ts';
import { exampleOf } from './examples/index.ts';
import type { JsonSchema } from './json-schema.ts';
import { parametersOf } from './parameters.ts';
import { responsesOf, sharedHeaders, sharedResponses } from './responses.ts';

const info = {
  title: 'Slipway',
  version: RELEASE_VERSION,
  description:
    'A deployment control plane for agent servers. Errors are `{"detail": …, "code": …}`: a text, or for 422 a list of every problem, and the name of the error, which stays the same when its text is put better. Unknown fields and ' +
    'parameters are ignored, and `X-Slipway-Ignored` names such fields of a body; an empty parameter is an absent one, and null is absent in requests. A body has at most 1 MiB. Every answer ' +
    'carries `X-Request-Id` and `X-Slipway-Version`.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** The folders of endpoints, in the order they are shown; a test says which one has no words here. */
const tags: Record<string, string> = {
  deployments: 'What is deployed: where its source is, what it needs, which secrets it has.',
  revisions: 'Each change of a deployment that is built and deployed.',
  logs: 'What builds and servers print.',
  metrics: 'What was measured of deployments: requests, latency, servers, runs.',
  listeners: 'Compute targets.',
  'listener-protocol': 'Calls that listeners make, each with its own key.',
  'api-keys': 'Credentials for programs.',
  'token-rules': 'Jobs of CI, and the keys that they exchange their tokens for.',
  members: 'Users of the identity provider, and what each may do in the tenant.',
  tenants: 'Parts of the organization that see nothing of each other.',
  integrations: 'Access to private repositories.',
  repositories: 'What is in a repository, before and while it is deployed.',
  'oauth-providers': 'OAuth authorization servers of the organization.',
  consent: 'Asking a person for consent at an OAuth provider.',
  'oauth-tokens': 'Access that users have granted at OAuth providers.',
  'oauth-connections': 'Agents that act with the token of the user who connected them.',
  activity: 'What people did, what came of it, and what needs somebody.',
  events: 'What happened to deployments, grants and listeners, in order.',
  webhooks: 'Addresses that events are delivered to.',
  'audit-events': 'Records of who did what.',
  console: 'The console, and signing in to it.',
  'device-login': 'Letting a program in with a code that a person confirms (RFC 8628).',
  'command-line': 'The command line, for who installs it.',
  service: 'The service itself.',
};

const securitySchemes = {
  ApiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Begins with `slp_`.' },
  TenantId: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Tenant-Id',
    description: 'Selects the tenant for an organization key or a bearer token. It is not a credential.',
  },
  Bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of the configured issuer.',
  },
};

function securityOf({ permission }: RouteRow): object[] {
  if (permission === 'public') return [];
  if (permission === 'listener:work') return [{ ApiKey: [] }];
  return [{ ApiKey: [] }, { ApiKey: [], TenantId: [] }, { Bearer: [], TenantId: [] }];
}

const tagOf = ({ handler }: RouteRow): string => handler.split('/')[2] ?? '';

/** What a host sends is its own to describe. One type alone: not every generator of clients can choose. */
const rawBody = {
  requestBody: {
    required: true,
    description: 'As the git host sends it; also as `application/x-www-form-urlencoded`.',
    content: { 'application/json': { schema: { type: 'object' } } },
  },
};

function requestBody({ body, operation, rawBody: raw }: RouteRow, { reference }: Components): JsonSchema {
  if (raw !== undefined) return rawBody;
  if (body === undefined) return {};
  return {
    requestBody: {
      // An empty body counts as an empty object.
      required: !body.safeParse({}).success,
      content: { 'application/json': { schema: reference(body), example: exampleOf(operation).body } },
    },
  };
}

const operation = (row: RouteRow, components: Components): JsonSchema => ({
  operationId: row.operation,
  tags: [tagOf(row)],
  summary: row.summary,
  ...(row.permission !== 'public' && { description: `Needs the permission \`${row.permission}\`.` }),
  security: securityOf(row),
  parameters: parametersOf(row),
  ...requestBody(row, components),
  responses: responsesOf(row, components),
});

/** The description has no word for a parameter that takes several parts of a path. */
export const writtenPath = (path: string): string => path.replace('+}', '}');

function pathsOf(rows: readonly RouteRow[], components: Components): JsonSchema {
  return Object.fromEntries(
    [...Map.groupBy(rows, ({ path }) => writtenPath(path))].map(([path, sharing]) => [
      path,
      Object.fromEntries(sharing.map((row) => [row.method.toLowerCase(), operation(row, components)])),
    ]),
  );
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * As people read them: by tag, then by path. The table's own order is that of modules, which not every
 * runtime gives alike.
 */
export function inReadingOrder(rows: readonly RouteRow[]): RouteRow[] {
  const placeOf = (row: RouteRow) => [
    Object.keys(tags).indexOf(tagOf(row)),
    row.path,
    methods.indexOf(row.method),
  ];
  return rows.toSorted((a, b) => {
    const [mine, others] = [placeOf(a), placeOf(b)];
    const at = mine.findIndex((part, index) => part !== others[index]);
    return at >= 0 && (mine[at] ?? 0) < (others[at] ?? 0) ? -1 : 1;
  });
}

/** The OpenAPI 3.1 description of these routes. */
export function openApiDocument(table: readonly RouteRow[]): JsonSchema {
  const rows = inReadingOrder(table);
  const components = makeComponents(rows);
  return {
    openapi: '3.1.0',
    info,
    servers: [
      { url: '/' },
      { url: '/api-host', description: 'The same routes, for clients that count on this prefix' },
    ],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: pathsOf(rows, components),
    components: {
      schemas: components.schemas,
      responses: sharedResponses(components),
      headers: sharedHeaders(),
      securitySchemes,
    },
  };
}

/** The text of docs/openapi.json. */
export const openApiText = (rows: readonly RouteRow[]): string =>
  `${JSON.stringify(openApiDocument(rows), null, 2)}\n`;
