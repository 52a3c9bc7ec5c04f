import type { ServerAnswerOutput } from '../../contract/deployments/server-requests.ts';
import { refuse } from '../../contract/errors.ts';
import type { RouteInput } from '../../contract/routes/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Deps } from '../../core/deps.ts';
import { getDeploymentItem } from '../../core/items/deployments.ts';
import type { askServer as row } from './routes.ts';

/**
 * Passes a request on to the server of a deployment, at the address that its listener reports and at no
 * other: an address that a client has set may be anybody's. What proves who asks here does not go there.
 * Throws `deployment_not_found`, and `state_forbids` where no server of this machine runs it.
 */
export async function askServer(
  { table, serverCaller }: Pick<Deps, 'table' | 'serverCaller'>,
  { params, body }: Pick<RouteInput<typeof row>, 'params' | 'body'>,
  { tenantId }: Caller,
): Promise<ServerAnswerOutput> {
  const { active } = await getDeploymentItem(table, tenantId, params.deployment_id);
  if (serverCaller === undefined)
    throw refuse('state_forbids', {
      reason:
        'This installation passes no requests on: its servers do not run on its machine. Ask the server itself.',
    });
  if (active?.url === undefined)
    throw refuse('state_forbids', { reason: 'No server of this deployment has an address yet.' });
  const answer = await serverCaller({
    serverUrl: active.url,
    method: body.method,
    path: body.path,
    headers: (body.headers ?? []).filter(({ name }) => isPassedOn(name)),
    body: body.method === 'GET' ? undefined : (body.body ?? undefined),
  });
  if (answer === 'elsewhere')
    throw refuse('state_forbids', {
      reason: 'This leads to no server of this deployment on this machine. Ask the server itself.',
    });
  const shown = { contentType: 'application/octet-stream', text: '', isBase64: true } as const;
  const serverHeaders = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => isShown(name)));
  return { ...shown, status: answer.status, serverHeaders, stream: answer.body };
}

/** Credentials of this API, and what belongs to a connection and not to a request (RFC 9110 §7.6.1). */
const KEPT_BACK = new Set([
  ...['authorization', 'cookie', 'x-api-key', 'x-tenant-id'],
  ...[
    'connection',
    'content-length',
    'expect',
    'host',
    'keep-alive',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
  ],
]);
const isPassedOn = (name: string): boolean =>
  !KEPT_BACK.has(name.toLowerCase()) && !name.toLowerCase().startsWith('proxy-');

/** The body comes without its encoding, and cookies are for nobody here. */
const NOT_SHOWN = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
]);
const isShown = (name: string): boolean => !NOT_SHOWN.has(name.toLowerCase());
