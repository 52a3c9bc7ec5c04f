import { clock, keys, table } from '../../../lib/container.ts';
import { interruptRevision } from '../../../lib/features/revisions/interrupt.ts';
import { interruptRevision as row } from '../../../lib/features/revisions/routes.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, interruptRevision);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
