import { Logger } from '@aws-lambda-powertools/logger';
import { HANDED_OUT, KEY_USED, REFUSED } from '../contract/notes.ts';
import { once } from '../contract/once.ts';
import type { AuditLog } from '../core/audit.ts';
import { type KeyUses, onceAnHour } from '../core/identity/key-uses.ts';
import { countedRefusals } from '../features/audit/count-refusals.ts';
import { logLevel } from './logger.ts';

/**
 * At every level that the environment asks for but SILENT: an audit is not a matter of how much one wants to
 * read.
 */
export const noteLevel = (environment: NodeJS.ProcessEnv): 'INFO' | 'SILENT' =>
  logLevel(environment) === 'SILENT' ? 'SILENT' : 'INFO';

/** The log, for lines that another function writes down: functions that only read may write nothing else. */
export const noteLogger = once(
  () => new Logger({ serviceName: 'slipway', logLevel: noteLevel(process.env) }),
);

/** Says that a key was used. */
export const loggedKeyUses: KeyUses = /* @__PURE__ */ onceAnHour(({ keyHash, hour }) =>
  noteLogger().info(KEY_USED, { key_hash: keyHash, hour }),
);

/** Says what a request was given, and who was refused. */
export const loggedAuditLog: AuditLog = {
  handedOut: (event) => noteLogger().info(HANDED_OUT, event),
  refused: /* @__PURE__ */ countedRefusals((note) => noteLogger().info(REFUSED, note)),
};
