import { readEnv } from '../logic/env-file.ts';
import type { Picked } from './upload.ts';

const EXAMPLES = ['.env.example', '.env.sample'];
const SIZE_BYTES_MAX = 64 * 1024;

/** The variables that a folder's own example file names, and that file; never their values. */
export async function askedByFolder(
  picked: readonly Picked[],
  root: string,
): Promise<{ name: string; from: string }[]> {
  const folder = root.trim().replace(/^\.?\/|\/$/g, '');
  for (const from of EXAMPLES) {
    const path = folder === '' ? from : `${folder}/${from}`;
    const found = picked.find((each) => each.path === path);
    if (found === undefined || found.file.size > SIZE_BYTES_MAX) continue;
    return readEnv(await found.file.text()).entries.map(({ name }) => ({ name, from }));
  }
  return [];
}
