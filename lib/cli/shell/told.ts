import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configFolder, objectIn } from './profiles.ts';
import type { World } from './world.ts';

/** Whether a person has not been told this of an installation; from then on they have. */
export function isNews(
  place: Pick<World, 'environment' | 'home' | 'platform'>,
  url: string,
  what: string,
): boolean {
  const folder = configFolder(place);
  const file = join(folder, 'told.json');
  let told: Record<string, unknown> = {};
  try {
    told = objectIn(readFileSync(file, 'utf8')) ?? {};
  } catch {
    // Nothing was told yet.
  }
  if (told[url] === what) return false;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify({ ...told, [url]: what }));
  } catch {
    // Told again, where nothing can be remembered.
  }
  return true;
}
