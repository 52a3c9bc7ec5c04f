import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ended } from './ends.ts';
import type { World } from './world.ts';

/** An installation, and a key for it. */
export type Profile = { url: string; api_key: string; tenant_id?: string; expires_at?: string };
export type Profiles = { current?: string; profiles: Record<string, Profile> };

type Place = Pick<World, 'environment' | 'home' | 'platform'>;

/** The folder of this program's settings: XDG's, or `%APPDATA%` on Windows. */
export function configFolder({ environment, home, platform }: Place): string {
  const { XDG_CONFIG_HOME: xdg, APPDATA: appData } = environment;
  if (platform === 'win32') return join(appData || join(home, 'AppData', 'Roaming'), 'slipway');
  // XDG: relative paths are invalid, and to be ignored.
  return join(xdg?.startsWith('/') === true ? xdg : join(home, '.config'), 'slipway');
}

export const profilesFile = (place: Place): string => join(configFolder(place), 'profiles.json');

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function isProfile(value: unknown): value is Profile {
  if (typeof value !== 'object' || value === null) return false;
  const { url, api_key: key } = { url: undefined, api_key: undefined, ...value };
  return isText(url) && isText(key);
}

/** The stored profiles; none where there is no file. Throws `Ended` when it cannot be read. */
export function readProfiles(place: Place): Profiles {
  const file = profilesFile(place);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { profiles: {} };
    throw new Ended(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const stored = objectIn(text);
  if (stored === undefined || typeof stored.profiles !== 'object' || stored.profiles === null)
    throw new Ended(`${file} is no file of profiles; remove it, and make a profile with slipway login.`);
  const profiles = Object.fromEntries(
    Object.entries(stored.profiles).filter((entry): entry is [string, Profile] => isProfile(entry[1])),
  );
  return { profiles, ...(isText(stored.current) && { current: stored.current }) };
}

/** The object that a JSON text is; undefined: it is none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the file at once, readable by its owner alone. */
export function writeProfiles(place: Place, profiles: Profiles): void {
  const file = profilesFile(place);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 });
    // A draft that an earlier run left keeps its own mode.
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Stores a profile and makes it the one in use. */
export function saveProfile(place: Place, name: string, profile: Profile): void {
  const { profiles } = readProfiles(place);
  writeProfiles(place, { current: name, profiles: { ...profiles, [name]: profile } });
}

/** Forgets a profile; false: there is none of this name. */
export function removeProfile(place: Place, name: string): boolean {
  const { current, profiles } = readProfiles(place);
  if (!Object.hasOwn(profiles, name)) return false;
  const { [name]: _, ...left } = profiles;
  writeProfiles(place, { profiles: left, ...(current !== undefined && current !== name && { current }) });
  return true;
}
