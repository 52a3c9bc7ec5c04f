import * as audit from './routes/audit.ts';
import * as consent from './routes/consent.ts';
import * as deployments from './routes/deployments.ts';
import * as identity from './routes/identity.ts';
import * as integrations from './routes/integrations.ts';
import * as listenerProtocol from './routes/listener-protocol.ts';
import * as listeners from './routes/listeners.ts';
import * as logs from './routes/logs.ts';
import * as oauthConnections from './routes/oauth-connections.ts';
import * as oauthProviders from './routes/oauth-providers.ts';
import * as oauthTokens from './routes/oauth-tokens.ts';
import * as revisions from './routes/revisions.ts';
import type { RouteRow } from './routes/route.ts';
import * as service from './routes/service.ts';
import * as sources from './routes/sources.ts';

/**
 * THE route table. CDK, OpenAPI, the embedded gateway and tests read it; a function imports the
 * file with its own row, so that its bundle holds the schemas of one resource.
 */
export const routes: readonly RouteRow[] = [
  deployments,
  sources,
  revisions,
  listeners,
  listenerProtocol,
  logs,
  identity,
  integrations,
  oauthProviders,
  oauthTokens,
  oauthConnections,
  consent,
  audit,
  service,
].flatMap((rows): RouteRow[] => Object.values<RouteRow>(rows));
