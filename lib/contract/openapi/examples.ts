import { consentExamples } from './examples/consent.ts';
import { deploymentExamples } from './examples/deployments.ts';
import { identityExamples } from './examples/identity.ts';
import { integrationExamples } from './examples/integrations.ts';
import { listenerProtocolExamples } from './examples/listener-protocol.ts';
import { listenerExamples } from './examples/listeners.ts';
import { logExamples } from './examples/logs.ts';
import { oauthProviderExamples } from './examples/oauth-providers.ts';
import { oauthTokenExamples } from './examples/oauth-tokens.ts';
import { serviceExamples } from './examples/service.ts';

/** What a request may send and what it is answered; a test parses each with the schemas of its route. */
export type Example = { body?: unknown; response?: unknown };

const examples: Record<string, Example> = {
  ...deploymentExamples,
  ...listenerExamples,
  ...listenerProtocolExamples,
  ...logExamples,
  ...identityExamples,
  ...integrationExamples,
  ...oauthProviderExamples,
  ...oauthTokenExamples,
  ...consentExamples,
  ...serviceExamples,
};

/** The examples of a route, by its operation; a test says which route has none yet. */
export const exampleOf = (operation: string): Example => examples[operation] ?? {};
