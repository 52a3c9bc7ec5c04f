/** The text in capitals. */
export const shout = (text) => text.toUpperCase();

/** How many words a text has. */
export const count = (text) => text.split(/\s+/).filter(Boolean).length;
