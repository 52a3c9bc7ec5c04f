import { type KeyUses, onceAnHour } from '../app/identity/key-uses.ts';
import { KEY_USED } from '../contract/key-use.ts';
import { logger } from './logger.ts';

/**
 * Says in the function's own log that a key was used. Functions that only read may write nothing else; one function, which reads these lines,
 * writes them down.
 */
export const loggedKeyUses: KeyUses = /* @__PURE__ */ onceAnHour(({ keyHash, hour }) =>
  logger().info(KEY_USED, { key_hash: keyHash, hour }),
);
