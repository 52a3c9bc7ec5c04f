/** What stands before `/console` in the address: all of ours may lie under a prefix. */
export const PREFIX = location.pathname.slice(0, Math.max(0, location.pathname.indexOf('/console')));
/** Where the console's own places begin. */
export const BASE = `${PREFIX}/console`;
