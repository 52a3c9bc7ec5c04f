import * as activity from '../../features/activity/routes.ts';
import * as apiKeys from '../../features/api-keys/routes.ts';
import * as audit from '../../features/audit/routes.ts';
import * as commandLine from '../../features/command-line/routes.ts';
import * as consent from '../../features/consent/routes.ts';
import * as console from '../../features/console/routes.ts';
import * as consolePages from '../../features/console-pages/routes.ts';
import * as deployments from '../../features/deployments/routes.ts';
import * as deviceLogin from '../../features/device-login/routes.ts';
import * as events from '../../features/events/routes.ts';
import * as integrations from '../../features/integrations/routes.ts';
import * as listenerProtocol from '../../features/listener-protocol/routes.ts';
import * as listeners from '../../features/listeners/routes.ts';
import * as logs from '../../features/logs/routes.ts';
import * as members from '../../features/members/routes.ts';
import * as metrics from '../../features/metrics/routes.ts';
import * as oauthConnections from '../../features/oauth-connections/routes.ts';
import * as oauthProviders from '../../features/oauth-providers/routes.ts';
import * as oauthTokens from '../../features/oauth-tokens/routes.ts';
import * as pushes from '../../features/pushes/routes.ts';
import * as registry from '../../features/registry/routes.ts';
import * as repositories from '../../features/repositories/routes.ts';
import * as revisions from '../../features/revisions/routes.ts';
import * as service from '../../features/service/routes.ts';
import * as tenants from '../../features/tenants/routes.ts';
import * as tokenRules from '../../features/token-rules/routes.ts';
import * as uploads from '../../features/uploads/routes.ts';
import * as webhooks from '../../features/webhooks/routes.ts';
import { type RouteKeys, type RouteRow, routeKeysOf } from './route.ts';

/**
 * THE route table. CDK, OpenAPI, the embedded gateway and tests read it; a function imports the
 * file with its own row, so that its bundle holds the schemas of one resource.
 */
export const routes: readonly RouteRow[] = [
  deployments,
  uploads,
  registry,
  revisions,
  repositories,
  listeners,
  listenerProtocol,
  logs,
  metrics,
  apiKeys,
  members,
  tenants,
  tokenRules,
  console,
  deviceLogin,
  integrations,
  pushes,
  oauthProviders,
  oauthTokens,
  oauthConnections,
  consent,
  audit,
  events,
  activity,
  webhooks,
  service,
  consolePages,
  commandLine,
].flatMap((rows): RouteRow[] => Object.values<RouteRow>(rows));

/** Every route without its schemas. Functions are bundled with this as data, so that they hold no schema for it. */
export const routeKeys: readonly RouteKeys[] = routes.map((row) => ({
  path: row.path,
  keys: routeKeysOf(row),
}));
