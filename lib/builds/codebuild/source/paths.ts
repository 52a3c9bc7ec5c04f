import { realpath } from 'node:fs/promises';
import { BuildFailure } from '../../failure.ts';
import { isFile, isInside } from '../../project.ts';

/** A file of the project, unless it is a link that leads out. */
export async function ownFile(root: string, path: string): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  return real !== undefined && isInside(root, real) && (await isFile(real)) ? real : undefined;
}

/** A line break in a path would begin another line of whatever holds a path a line. */
export function refuseControlCharacters(path: string, what: string): void {
  if (/\p{Cc}/u.test(path)) throw new BuildFailure(`${what} has a control character in its name`);
}
