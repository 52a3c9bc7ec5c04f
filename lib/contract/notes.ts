/**
 * Endpoints that only read have no right to write: what is to be written down of a request they say in their
 * log, and one function reads it there. These are the messages it knows such lines by.
 */
export const KEY_USED = 'key used';
export const HANDED_OUT = 'handed out';
export const REFUSED = 'refused';
export const notedMessages = [KEY_USED, HANDED_OUT, REFUSED] as const;
