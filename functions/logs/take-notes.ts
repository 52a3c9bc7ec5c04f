import { noteHandOut } from '../../lib/app/audit-events/note-hand-out.ts';
import { noteRefusal } from '../../lib/app/audit-events/note-refusal.ts';
import { settings, table } from '../../lib/container.ts';
import { noteKeyUse } from '../../lib/features/api-keys/note-use.ts';
import { noteLog } from '../../lib/triggers/note-log.ts';

export const create = noteLog({ keyUsed: noteKeyUse, handedOut: noteHandOut, refused: noteRefusal });
export const handler = create(() => ({ table: table(), settings: settings() }));
