import type { Key } from './index.ts';

/** `hash`: of the code in the link. */
export const consoleLinkKey = (hash: string): Key => ({ pk: `KC#${hash}`, sk: 'A' });
