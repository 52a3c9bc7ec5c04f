import { keys, logs, table } from '../../lib/container.ts';
import { ingestBuildLog } from '../../lib/features/logs/ingest.ts';
import { logSubscription } from '../../lib/triggers/log-subscription.ts';

export const create = logSubscription(ingestBuildLog);
export const handler = create(() => ({ table: table(), keys: keys(), logs: logs() }));
