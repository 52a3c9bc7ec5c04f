import { ingestBuildLog } from '../../lib/app/logs/ingest-build-log.ts';
import { keys, logs, table } from '../../lib/container.ts';
import { logSubscription } from '../../lib/triggers/log-subscription.ts';

export const create = logSubscription(ingestBuildLog);
export const handler = create(() => ({ table: table(), keys: keys(), logs: logs() }));
