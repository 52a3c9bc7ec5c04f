import type { DeploySpec } from '../../../lib/features/listener-protocol/shape.ts';

type Own = 'deployment_id' | 'deployment_name' | 'tenant_id' | 'revision_id' | 'artifact';

/** What a task says of a revision that has no settings of its own. */
export const plainSpec = (own: Pick<DeploySpec, Own>): DeploySpec => ({
  epoch: 1,
  graph_config_path: 'langgraph.json',
  environment: [],
  secret_references: [],
  resource_spec: {},
  k8s_namespace: null,
  custom_url: null,
  ...own,
});
