import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { accessOf } from '../../../lib/cli/shell/credentials.ts';
import {
  configFolder,
  profilesFile,
  readProfiles,
  removeProfile,
  saveProfile,
} from '../../../lib/cli/shell/profiles.ts';
import type { World } from '../../../lib/cli/shell/world.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { slipway } from '../../support/programs/user-cli.ts';

let folder: string;
beforeEach(async () => void (folder = await temporaryFolder()));

type Place = Pick<World, 'environment' | 'cwd' | 'home' | 'platform' | 'userId' | 'now'>;
const place = (more: Partial<Place> = {}): Place => ({
  environment: {},
  cwd: folder,
  home: join(folder, 'home'),
  platform: 'linux',
  userId: process.getuid?.(),
  now: () => 0,
  ...more,
});
const access = (more: Partial<Place> = {}, flags: Parameters<typeof accessOf>[1] = {}) =>
  accessOf(place(more), flags);
const ofThisMachine = { base_url: 'http://localhost:4400', api_key: 'local', tenant_id: 't' };
const local = (content: object = ofThisMachine) => {
  mkdirSync(join(folder, '.slipway'));
  const file = join(folder, '.slipway/credentials.json');
  writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
  return file;
};
const both = { SLIPWAY_URL: 'https://env.example/', SLIPWAY_API_KEY: 'env' };

describe('address and key', () => {
  it('come from flags, then the environment, then the profile in use, then the folder of npm start', () => {
    const file = local();
    expect(access()).toMatchObject({
      url: 'http://localhost:4400',
      apiKey: 'local',
      tenantId: 't',
      source: file,
    });
    saveProfile(place(), 'staging', { url: 'https://staging.example', api_key: 'staged', tenant_id: 's' });
    expect(access()).toMatchObject({ apiKey: 'staged', tenantId: 's', profile: 'staging' });
    expect(access({ environment: both })).toMatchObject({ url: 'https://env.example', apiKey: 'env' });
    const flags = { url: 'https://flag.example', 'api-key': 'flag' };
    expect(access({ environment: both }, flags)).toMatchObject({
      url: 'https://flag.example',
      apiKey: 'flag',
    });
    expect(access({ environment: both }, { profile: 'staging' })).toMatchObject({ apiKey: 'staged' });
    expect(access({ environment: both }, { url: 'https://staging.example/' })).toMatchObject({
      apiKey: 'staged',
    });
  });

  it('never come from two sources', () => {
    expect(() => access({ environment: { SLIPWAY_URL: 'https://x' } })).toThrow('SLIPWAY_API_KEY is not');
    expect(() => access({ environment: { SLIPWAY_API_KEY: 'k' } })).toThrow('SLIPWAY_URL is not');
    expect(() => access({ environment: both }, { url: 'https://other.example' })).toThrow(
      'No profile is for',
    );
    expect(() => access({ environment: both }, { 'api-key': 'k' })).toThrow('--api-key goes with --url');
    expect(() => access({}, { profile: 'x', url: 'https://x' })).toThrow('give either');
  });

  it('have no password in the address, which messages name', () => {
    const environment = { SLIPWAY_URL: 'https://me:hidden@env.example', SLIPWAY_API_KEY: 'key' };
    expect(() => access({ environment })).toThrow(
      /^The address of SLIPWAY_URL and SLIPWAY_API_KEY has a user name/,
    );
  });

  it('go with a tenant that is named elsewhere', () => {
    const environment = { ...both, SLIPWAY_TENANT_ID: 'named' };
    expect(access({ environment })).toMatchObject({ tenantId: 'named' });
    expect(access({ environment }, { tenant: 'flag' })).toMatchObject({ tenantId: 'flag' });
  });

  it('are missed in words that say how to get them', () => {
    expect(() => access()).toThrow('slipway login URL');
    expect(() => access({}, { profile: 'gone' })).toThrow(
      "There is no profile 'gone' (--profile); there are: none.",
    );
    saveProfile(place(), 'old', { url: 'https://x', api_key: 'k', expires_at: '1970-01-01T00:00:00.000Z' });
    expect(() => access()).toThrow("The key of the profile 'old' expired");
    expect(() => access({ environment: { ...both, SLIPWAY_URL: 'x' } })).toThrow("'x' is no address");
  });
});

describe('.slipway/credentials.json', () => {
  it('is found upwards, mine and private alone', () => {
    const file = local();
    mkdirSync(join(folder, 'a/b'), { recursive: true });
    expect(access({ cwd: join(folder, 'a/b') })).toMatchObject({ source: file });
    expect(() => access({ userId: 12_345 })).toThrow('it belongs to another user');
    chmodSync(file, 0o640);
    expect(() => access()).toThrow('others may read it');
  });

  it('counts for this machine only, whatever it is called', () => {
    local({ base_url: 'https://localhost.evil.example', api_key: 'k' });
    expect(() => access()).toThrow('is not on this machine');
  });

  it('is not followed elsewhere by a link', () => {
    const file = local();
    mkdirSync(join(folder, 'clone/.slipway'), { recursive: true });
    symlinkSync(file, join(folder, 'clone/.slipway/credentials.json'));
    expect(() => access({ cwd: join(folder, 'clone') })).toThrow('it is no plain file');
  });

  it('does not count once git tracks it, and no program of the repository is run to know', () => {
    local();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
    git('init', '--quiet');
    const mark = join(folder, 'was-run');
    git('config', 'core.fsmonitor', `touch ${mark}; false`);
    expect(access()).toMatchObject({ apiKey: 'local' });
    git('-c', 'core.fsmonitor=false', 'add', '-f', '.slipway/credentials.json');
    expect(() => access()).toThrow('git tracks it');
    expect(statSync(mark, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('profiles', () => {
  it('are kept for their owner alone, in the folder for settings', () => {
    saveProfile(place(), 'a', { url: 'https://a', api_key: 'k' });
    expect(profilesFile(place())).toBe(join(folder, 'home/.config/slipway/profiles.json'));
    expect(statSync(profilesFile(place())).mode & 0o777).toBe(0o600);
    expect(statSync(configFolder(place())).mode & 0o777).toBe(0o700);
    saveProfile(place(), 'b', { url: 'https://b', api_key: 'k' });
    expect(readProfiles(place())).toMatchObject({ current: 'b', profiles: { a: { url: 'https://a' } } });
    expect([removeProfile(place(), 'b'), removeProfile(place(), 'b')]).toEqual([true, false]);
    expect(readProfiles(place())).toEqual({ profiles: { a: { url: 'https://a', api_key: 'k' } } });
  });

  it('lie where each system keeps settings', () => {
    const at = (more: Partial<Place>) => configFolder(place({ home: '/home/me', ...more }));
    expect(at({ environment: { XDG_CONFIG_HOME: '/x' } })).toBe('/x/slipway');
    expect(at({ environment: { XDG_CONFIG_HOME: 'relative' } })).toBe('/home/me/.config/slipway');
    expect(at({ platform: 'win32', environment: { APPDATA: '/roaming' } })).toBe('/roaming/slipway');
  });

  it('that cannot be read are said to be so', () => {
    mkdirSync(configFolder(place()), { recursive: true });
    writeFileSync(profilesFile(place()), 'nonsense');
    expect(() => access()).toThrow('is no file of profiles');
  });
});

describe('login', () => {
  const me = { user_id: 'u', role: 'developer', tenant_id: 't', expires_at: null, tenants: [] };
  const at = (status: number) => ({
    cwd: folder,
    home: join(folder, 'home'),
    input: 'the-key\n',
    fetch: async () =>
      Response.json(status === 200 ? me : { detail: 'Invalid or missing credentials' }, { status }),
  });
  const wish = ['login', 'https://s.example/', '--key-stdin'];

  it('stores a key that the installation takes, and logout forgets it', async () => {
    const made = await slipway(at(200), wish);
    expect(made).toEqual({ exit: 0, stdout: 's.example: developer at https://s.example\n', stderr: '' });
    expect(access()).toMatchObject({ url: 'https://s.example', apiKey: 'the-key', tenantId: 't' });
    const listed = await slipway(at(200), ['profiles', '--json']);
    expect(listed.stdout).toContain('"name":"s.example"');
    expect(listed.stdout).not.toContain('the-key');
    expect((await slipway(at(200), ['logout'])).exit).toBe(0);
    expect(readProfiles(place()).profiles).toEqual({});
  });

  /** The answers of an installation to a login by a code: that of the last request comes again. */
  const byCode = (answers: readonly [status: number, body: object][], more: object = {}) => {
    let asked = 0;
    const answer = async () => {
      const [status, body] = answers[Math.min(asked, answers.length - 1)] ?? [500, {}];
      asked += 1;
      return Response.json(body, { status });
    };
    return { ...at(200), terminal: true, fetch: answer, ...more };
  };
  const begun = {
    device_code: 'd',
    user_code: 'BCDF-GHJK',
    verification_uri: 'https://s.example/console/device',
  };
  const waits = { ...begun, expires_in: 600, interval: 0 };
  const pending = { detail: 'Nobody yet.', code: 'authorization_pending' };
  const token = {
    access_token: 'slp_x',
    token_type: 'api_key',
    tenant_id: 't',
    role: 'viewer',
    expires_at: '2999-01-01',
  };

  it('shows a code on a terminal, and stores the key once it is confirmed', async () => {
    const made = await slipway(
      byCode([
        [200, waits],
        [400, pending],
        [503, { detail: 'The table is not responding.' }],
        [200, token],
      ]),
      wish.slice(0, 2),
    );
    expect(made).toMatchObject({
      exit: 0,
      stdout: 's.example: viewer at https://s.example until 2999-01-01\n',
    });
    expect(made.stderr).toContain('BCDF-GHJK');
    expect(made.stdout + made.stderr).not.toContain('slp_x');
    expect(access()).toMatchObject({ url: 'https://s.example', apiKey: 'slp_x', tenantId: 't' });
  });

  it.each([
    ['access_denied', 1, 'The login was denied.'],
    ['expired_token', 1, 'Nobody has confirmed the code in time'],
    ['not_found', 1, 'Something else.'],
  ])('stores nothing after %s', async (code, exit, says) => {
    const refused = { detail: 'Something else.', code };
    const ran = await slipway(
      byCode([
        [200, waits],
        [400, refused],
      ]),
      wish.slice(0, 2),
    );
    expect(ran).toMatchObject({ exit, stderr: expect.stringContaining(says) });
    expect(readProfiles(place()).profiles).toEqual({});
  });

  it('ends with 4 when the person ends it while it waits', async () => {
    const ending = new AbortController();
    const more = { signal: ending.signal, openBrowser: async () => ending.abort() };
    const ran = await slipway(
      byCode(
        [
          [200, waits],
          [400, pending],
        ],
        more,
      ),
      wish.slice(0, 2),
    );
    expect(ran).toMatchObject({ exit: 4, stderr: expect.stringContaining('Ended before it was done.') });
    expect(readProfiles(place()).profiles).toEqual({});
  });

  it('forgets a profile also where its key cannot be ended, and says so', async () => {
    for (const [status, says] of [
      [204, 'and its key is over'],
      [401, 'and its key is over'],
      [500, 'its key stays valid'],
    ] as const) {
      await slipway(at(200), wish);
      const fetched = async () => new Response(status === 204 ? null : '{}', { status });
      const ran = await slipway({ ...at(200), fetch: fetched }, ['logout']);
      expect(ran).toMatchObject({ exit: 0, stdout: expect.stringContaining(says) });
      expect(readProfiles(place()).profiles).toEqual({});
    }
  });

  it('stores none that it refuses, and asks nobody without a terminal', async () => {
    expect(await slipway(at(401), wish)).toMatchObject({
      exit: 1,
      stderr: 'Invalid or missing credentials\n',
    });
    expect(readProfiles(place()).profiles).toEqual({});
    expect(await slipway(at(200), wish.slice(0, 2))).toMatchObject({ exit: 2 });
  });
});
