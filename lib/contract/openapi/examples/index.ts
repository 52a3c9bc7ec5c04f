import { activityExamples } from '../../../features/activity/examples.ts';
import { apiKeyExamples } from '../../../features/api-keys/examples.ts';
import { auditExamples } from '../../../features/audit/examples.ts';
import { commandLineExamples } from '../../../features/command-line/examples.ts';
import { consentExamples } from '../../../features/consent/examples.ts';
import { consoleExamples } from '../../../features/console/examples.ts';
import { consolePageExamples } from '../../../features/console-pages/examples.ts';
import { deploymentExamples } from '../../../features/deployments/examples.ts';
import { deviceLoginExamples } from '../../../features/device-login/examples.ts';
import { eventExamples } from '../../../features/events/examples.ts';
import { integrationExamples } from '../../../features/integrations/examples.ts';
import { listenerProtocolExamples } from '../../../features/listener-protocol/examples.ts';
import { listenerExamples } from '../../../features/listeners/examples.ts';
import { logExamples } from '../../../features/logs/examples.ts';
import { memberExamples } from '../../../features/members/examples.ts';
import { metricsExamples } from '../../../features/metrics/examples.ts';
import { oauthConnectionExamples } from '../../../features/oauth-connections/examples.ts';
import { oauthProviderExamples } from '../../../features/oauth-providers/examples.ts';
import { oauthTokenExamples } from '../../../features/oauth-tokens/examples.ts';
import { pushExamples } from '../../../features/pushes/examples.ts';
import { registryExamples } from '../../../features/registry/examples.ts';
import { repositoryExamples } from '../../../features/repositories/examples.ts';
import { revisionExamples } from '../../../features/revisions/examples.ts';
import { serviceExamples } from '../../../features/service/examples.ts';
import { tenantExamples } from '../../../features/tenants/examples.ts';
import { tokenRuleExamples } from '../../../features/token-rules/examples.ts';
import { uploadExamples } from '../../../features/uploads/examples.ts';
import { webhookExamples } from '../../../features/webhooks/examples.ts';

/** What a request may send and what it is answered; a test parses each with the schemas of its route. */
export type Example = { body?: unknown; response?: unknown };

const examples: Record<string, Example> = {
  ...deploymentExamples,
  ...revisionExamples,
  ...repositoryExamples,
  ...listenerExamples,
  ...listenerProtocolExamples,
  ...logExamples,
  ...metricsExamples,
  ...apiKeyExamples,
  ...memberExamples,
  ...tenantExamples,
  ...tokenRuleExamples,
  ...auditExamples,
  ...integrationExamples,
  ...uploadExamples,
  ...registryExamples,
  ...consoleExamples,
  ...deviceLoginExamples,
  ...consolePageExamples,
  ...commandLineExamples,
  ...pushExamples,
  ...oauthProviderExamples,
  ...oauthTokenExamples,
  ...oauthConnectionExamples,
  ...consentExamples,
  ...eventExamples,
  ...activityExamples,
  ...webhookExamples,
  ...serviceExamples,
};

/** The examples of a route, by its operation; a test says which route has none yet. */
export const exampleOf = (operation: string): Example => examples[operation] ?? {};
