import { agentSecrets, keys, logs, table } from '../../lib/container.ts';
import { ingestServerOutput } from '../../lib/features/logs/ingest.ts';
import { logSubscription } from '../../lib/triggers/log-subscription.ts';

export const create = logSubscription(ingestServerOutput);
export const handler = create(() => ({
  table: table(),
  keys: keys(),
  logs: logs(),
  agentSecrets: agentSecrets(),
}));
