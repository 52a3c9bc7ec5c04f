import type { RenderContext, ServerSpec } from '../../../lib/compute/kubernetes/render/context.ts';
import { plainSpec } from '../world/deploy-spec.ts';

/** What tests of the Kubernetes driver render. */
export const serverSpec = (own: Partial<ServerSpec> = {}): ServerSpec => ({
  ...plainSpec({
    deployment_id: '0190a000-0000-7000-8000-0000deadbeef',
    deployment_name: 'my_agent',
    tenant_id: '0190a000-0000-7000-8000-000000000002',
    revision_id: '0190a000-0000-7000-8000-000000000003',
    artifact: { kind: 'image', uri: 'registry.example.com/agent@sha256:0' },
  }),
  ...own,
});

export const renderContext = (own: Partial<RenderContext> = {}): RenderContext => ({
  listenerId: '0190a000-0000-7000-8000-000000000001',
  namespace: 'agents',
  computeConfig: {},
  graceSeconds: 180,
  ...own,
});
