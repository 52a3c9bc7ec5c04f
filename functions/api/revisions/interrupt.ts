import { interruptRevision } from '../../../lib/app/revisions/interrupt.ts';
import { clock, keys, table } from '../../../lib/container.ts';
import { interruptRevision as row } from '../../../lib/contract/routes/revisions.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';

export const create = endpoint(row, interruptRevision);
export const handler = create(() => ({ table: table(), clock, keys: keys() }));
