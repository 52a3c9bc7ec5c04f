import { expect, it } from 'vitest';
import { api, expectApi } from '../support/programs/program.ts';
import type { Tour } from './tour.ts';

/** The console as API Gateway and Lambda serve it, and signing in to it. */
export function consoleTests(tour: () => Tour): void {
  it('serves the console: its page, its files, and its page again for every place in it', async () => {
    const { baseUrl } = tour().slipway;
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(baseUrl + path, { redirect: 'manual', headers });
    const page = await get('/console');
    const text = await page.text();
    expect([page.status, page.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringMatching(/connect-src 'self' https:\/\/\S+\.s3\./),
    ]);
    const files = [...text.matchAll(/(?:src|href)="([^"]*\/console\/assets\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    expect(files.length).toBeGreaterThan(1);
    let characters = 0;
    for (const path of files) {
      const file = await get(path, { 'accept-encoding': 'br' });
      expect([path, file.status, file.headers.get('cache-control')]).toEqual([
        path,
        200,
        'public, max-age=31536000, immutable',
      ]);
      characters += (await file.text()).length;
    }
    expect(characters).toBeGreaterThan(10_000);
    const deep = await get('/console/deployments/0190a000-0000-7000-8000-000000000001/settings');
    expect([deep.status, await deep.text()]).toEqual([200, text]);
    expect((await get('/console/assets/main-OLD.js')).status).toBe(404);
    const home = await get('/');
    expect([home.status, home.headers.get('location')]).toEqual([302, expect.stringMatching(/\/console\/$/)]);
  });

  it('signs a person in by a link, once, until they sign out', async () => {
    const { slipway } = tour();
    const link = await expectApi<{ url: string }>(slipway, 'POST', '/v2/console-links', undefined, 201);
    const body = { code: link.url.split('#code=')[1] };
    const nobody = { ...slipway, apiKey: '' };
    const made = await expectApi<{ api_key: string }>(nobody, 'POST', '/v2/console-sessions', body, 201);
    expect(await api(nobody, 'POST', '/v2/console-sessions', body)).toMatchObject({ status: 403 });
    const session = { ...slipway, apiKey: made.api_key };
    expect(await api(session, 'GET', '/v2/me')).toMatchObject({ status: 200, body: { is_session: true } });
    expect(await api(nobody, 'GET', '/v2/sign-in')).toMatchObject({ status: 200, body: { oidc: null } });
    await expectApi(session, 'DELETE', '/v2/console-sessions', undefined, 204);
    expect(await api(session, 'GET', '/v2/me')).toMatchObject({ status: 401 });
  });
}
