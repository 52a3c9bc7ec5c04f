/** The version of this release, which the description of the API has too. */
export const RELEASE_VERSION = '0.2.0';

/** Every answer has it: a program that was made for another release can say so. */
export const VERSION_HEADER = 'X-Slipway-Version';
