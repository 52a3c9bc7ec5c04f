import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../../processes/atomic-file.ts';

/** Raised when what a data folder holds can no longer be read by an earlier or later release. */
const FORMAT = 1;

/** Previews wrote no format, but always one of these. */
const OF_PREVIEWS = ['table.db', 'secret.key'];

/** Another release has written the data folder; the message says what to do. */
export class OtherFormat extends Error {}

/**
 * Makes sure that the data folder is of the format that this release reads, and writes the format down in a
 * new one. Throws OtherFormat for a folder of another release, with nothing in it changed.
 */
export async function checkDataFormat(dataFolder: string): Promise<void> {
  const file = join(dataFolder, 'format');
  if (!existsSync(file)) {
    if (OF_PREVIEWS.some((name) => existsSync(join(dataFolder, name))))
      throw new OtherFormat(refusal(dataFolder, 'an earlier preview'));
    await writeFileAtomic(file, `${FORMAT}\n`);
    return;
  }
  const found = readFileSync(file, 'utf8').trim();
  if (found !== String(FORMAT)) throw new OtherFormat(refusal(dataFolder, `format ${found}`));
}

const refusal = (dataFolder: string, found: string): string =>
  `The data in ${dataFolder} is of ${found} of Slipway, which this release cannot read (it reads format ${FORMAT}). ` +
  'Choose another folder with SLIPWAY_DATA_DIR, or delete this one and lose its deployments.';
