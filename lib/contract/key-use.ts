/** The message of the log line that says that a key was used; what hands such lines on knows them by it. */
export const KEY_USED = 'key used';
