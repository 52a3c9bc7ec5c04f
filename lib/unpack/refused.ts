/** The archive is not unpacked; the message says why. */
export class UnpackRefused extends Error {}
