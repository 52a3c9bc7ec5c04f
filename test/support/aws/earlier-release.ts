import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { x as unpack } from 'tar';

const archive = fileURLToPath(new URL('../releases/39e5ef8.tar.zst', import.meta.url));

/** The environment that the templates of the release are for: it is part of logical ids. */
export const RELEASE_ENVIRONMENT = 'verify-upgrade';
/** `…-destroy`: with `removal=destroy`. */
export type ReleaseVariant = 'plain' | 'fargate' | 'plain-destroy' | 'fargate-destroy';

/**
 * Unpacks the release before, as `cdk synth` had made it, into a folder, which is made. Gives the folder of a
 * variant, which `cdk deploy --app` takes.
 */
export async function unpackRelease(folder: string, variant: ReleaseVariant): Promise<string> {
  await mkdir(folder, { recursive: true });
  await unpack({ file: archive, cwd: folder });
  return join(folder, variant);
}
