/** The arguments are wrong; the message says which one and what it may be. */
export class OptionsError extends Error {}
