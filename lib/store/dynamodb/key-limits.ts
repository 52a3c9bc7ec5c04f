import type { Key } from '../keys/index.ts';

const PARTITION_KEY_BYTES_MAX = 2048;
const SORT_KEY_BYTES_MAX = 1024;

/**
 * Whether an item can have this key. The table answers a question about any other one with an error, though
 * nothing can be there.
 */
export const isPossible = ({ pk, sk }: Key): boolean =>
  Buffer.byteLength(pk) <= PARTITION_KEY_BYTES_MAX &&
  sk !== '' &&
  Buffer.byteLength(sk) <= SORT_KEY_BYTES_MAX;
