import { noteKeyUse } from '../../lib/app/identity/note-key-use.ts';
import { table } from '../../lib/container.ts';
import { keyUseLog } from '../../lib/triggers/key-use-log.ts';

export const create = keyUseLog(noteKeyUse);
export const handler = create(() => ({ table: table() }));
