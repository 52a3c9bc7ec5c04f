import { settings, table } from '../../lib/container.ts';
import { noteKeyUse } from '../../lib/features/api-keys/note-use.ts';
import { noteHandOut, noteRefusal } from '../../lib/features/audit/take-notes.ts';
import { noteLog } from '../../lib/triggers/note-log.ts';

export const create = noteLog({ keyUsed: noteKeyUse, handedOut: noteHandOut, refused: noteRefusal });
export const handler = create(() => ({ table: table(), settings: settings() }));
