import { useAnswer } from '../../data/lists.ts';
import { useCan } from '../../data/permissions.ts';
import { Page } from '../../ui/page.tsx';
import { AgentConnections } from './agent-connections.tsx';
import { Integrations } from './integrations.tsx';
import { Providers } from './providers.tsx';
import { Tokens } from './tokens.tsx';

/** What Slipway and its agents reach elsewhere: git hosts, OAuth providers, and what people have granted. */
export function Connections() {
  const [canIntegrations, canProviders, canTokens] = [
    useCan('integrations:read'),
    useCan('providers:read'),
    useCan('tokens:read'),
  ];
  const providers = useAnswer('GET /v2/auth/providers', {}, canProviders === true);
  return (
    <Page title="Integrations" permissions={['integrations:read', 'providers:read', 'tokens:read']}>
      {canIntegrations && <Integrations />}
      {canProviders && <Providers providers={providers} />}
      {canTokens && <Tokens providers={providers.data ?? []} />}
      {canTokens && <AgentConnections providers={providers.data ?? []} />}
    </Page>
  );
}
