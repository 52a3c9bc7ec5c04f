const CHARACTERS = 8;

/** Enough of an id to tell one from another: its end, because it begins with the time. */
export const shortId = (id: string): string => `…${id.slice(-CHARACTERS)}`;
