import type { AuditLog } from '../../core/audit-log.ts';
import type { Deps } from '../../core/deps.ts';
import { noteHandOut } from './note-hand-out.ts';
import { noteRefusal } from './note-refusal.ts';
import { countedRefusals } from './refusal.ts';

/**
 * Writes at once, behind the answer: where nothing stands between a request and the table. What fails is told
 * to `onError`.
 */
export function writtenAuditLog(
  deps: Pick<Deps, 'table' | 'settings'>,
  onError: (error: unknown) => void,
): AuditLog {
  return {
    handedOut: (event) => {
      noteHandOut(deps, event).catch(onError);
    },
    refused: countedRefusals((note) => {
      noteRefusal(deps, note).catch(onError);
    }),
  };
}
