import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { RELEASE_VERSION } from '../../lib/contract/version.ts';
import { type Ask, type Raw, send, sendBytes, sendLines } from '../support/http/raw-request.ts';
import { create, type Program, type ShownDeployment } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** An answer without what a listener changes every few seconds. */
const timeless = ({ text }: Raw): string => text.replaceAll(/"last_seen_at":"[^"]*"/g, '"last_seen_at":""');

const AUTHENTICATE = { 'www-authenticate': expect.stringMatching(/^ApiKey /) };

/** A deployment of which nothing was ever deployed. */
const emptyIn = (program: Program) =>
  create(program, 'empty', '', { source: 'internal_source', source_config: {}, source_revision_config: {} });

/**
 * What a program answers whatever it is asked. Must come first: nothing that was printed until its end may be
 * an error.
 */
export function httpTests(program: () => Program): void {
  let empty: ShownDeployment;
  beforeAll(async () => {
    empty = await emptyIn(program());
  });
  const ask = (one: Ask) => send(program(), one);
  const ofDeployment = (rest = '') => `/v2/deployments/${empty.id}${rest}`;
  const ofRevision = () => ofDeployment(`/revisions/${empty.latest_revision_id}`);

  describe('a refusal', () => {
    const aChange = (more: Partial<Ask>) => ({ method: 'PATCH', path: ofDeployment(), body: {}, ...more });

    it.each<[status: number, asked: () => Ask, headers?: object]>([
      [401, () => ({ path: '/v2/deployments', headers: { 'x-api-key': 'none' } }), AUTHENTICATE],
      [403, () => ({ path: '/v2/deployments', headers: { 'x-tenant-id': empty.id } })],
      [404, () => ({ path: `/v2/deployments/${empty.latest_revision_id}` })],
      [
        405,
        () => ({ method: 'POST', path: `/api-host${ofDeployment()}` }),
        { allow: 'DELETE, GET, HEAD, PATCH' },
      ],
      [409, () => ({ method: 'POST', path: `${ofRevision()}/interrupt` })],
      [412, () => aChange({ headers: { 'if-match': '"77"' } })],
      [413, () => aChange({ body: { name: 'x'.repeat(1024 * 1024) } })],
      [
        422,
        () => ({
          method: 'POST',
          path: '/v2/deployments',
          body: {
            name: 'odd',
            source: 'github',
            source_config: { repo_url: 'https://example.com/a.git', resource_spec: { memory_mb: 200 } },
            source_revision_config: {},
          },
        }),
      ],
      [415, () => aChange({ body: 'name=a', headers: { 'content-type': 'text/plain' } })],
    ])('of %i says why, as JSON', async (status, asked, headers = {}) => {
      const answer = await ask(asked());
      expect([answer.status, JSON.parse(answer.text)]).toEqual([
        status,
        { detail: expect.any(status === 422 ? Array : String), code: expect.stringMatching(/^[a-z_]+$/) },
      ]);
      expect(answer.headers).toMatchObject({
        'x-request-id': expect.stringMatching(/^\S{8,}$/),
        'x-slipway-version': RELEASE_VERSION,
        'x-content-type-options': 'nosniff',
        'content-type': expect.stringMatching(/^application\/json/),
        ...headers,
      });
    });
  });

  describe('a page of another origin', () => {
    const origin = 'http://localhost:5173';
    const plain = { 'x-api-key': 'none', origin };

    it('of this machine learns without a key what it may ask, and reads every answer', async () => {
      const question = { ...plain, 'access-control-request-method': 'PATCH' };
      const asked = await ask({ method: 'OPTIONS', path: ofDeployment(), headers: question });
      expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([204, origin]);
      expect(asked.headers['access-control-allow-methods']).toContain('PATCH');
      expect(asked.headers['access-control-allow-headers']).toContain('x-api-key');
      const answers = [
        [200, await ask({ path: '/v2/deployments', headers: { origin } })],
        [401, await ask({ path: '/v2/deployments', headers: plain })],
        [404, await ask({ path: '/nothing', headers: plain })],
        [405, await ask({ method: 'PUT', path: '/ok', headers: plain })],
        [413, await ask({ method: 'POST', path: '/ok', headers: plain, body: 'x'.repeat(7 * 1024 * 1024) })],
      ] as const;
      for (const [status, { status: answered, headers }] of answers) {
        expect([answered, headers['access-control-allow-origin']]).toEqual([status, origin]);
        expect(headers['access-control-expose-headers']).toContain('x-request-id');
        expect(headers['access-control-expose-headers']).toContain('x-slipway-version');
        expect(headers['x-request-id']).toMatch(/^\S{8,}$/);
        expect(headers['x-slipway-version']).toBe(RELEASE_VERSION);
      }
    });

    it('from elsewhere is told nothing', async () => {
      const { status, headers } = await ask({
        path: '/ok',
        headers: { origin: 'https://elsewhere.example' },
      });
      expect([status, headers['access-control-allow-origin']]).toEqual([200, undefined]);
    });
  });

  describe('a page under a name that a DNS server has moved to this machine', () => {
    it('reaches neither port, and a name that was made public reaches both', async () => {
      const { agents_port } = JSON.parse(await readFile(join(program().dataFolder, 'listener.json'), 'utf8'));
      const statusFor = async (port: number, path: string, host: string) => {
        const answer = await sendLines(port, [`GET ${path} HTTP/1.1`, `Host: ${host}`, '', '']);
        return Number(answer.slice(9, 12));
      };
      const api = Number(new URL(program().baseUrl).port);
      // The listener is a program of its own, which may still start when the API answers.
      await until(() => statusFor(agents_port, '/d/nobody/', 'localhost').catch(() => undefined), {
        what: 'the listener to open its port',
      });
      for (const [host, ok, nobody] of [
        ['evil.example', 421, 421],
        ['slipway.example', 200, 404],
        ['localhost', 200, 404],
      ] as const) {
        expect([host, await statusFor(api, '/ok', host)]).toEqual([host, ok]);
        expect([host, await statusFor(agents_port, '/d/nobody/', host)]).toEqual([host, nobody]);
      }
    });
  });

  describe('the description of the API', () => {
    it('is there for everybody, for programs and as a page', async () => {
      for (const prefix of ['', '/api-host']) {
        const read = async (path: string) => {
          const { status, headers, text } = await ask({
            path: prefix + path,
            headers: { 'x-api-key': 'none' },
          });
          expect([path, status]).toEqual([path, 200]);
          return { type: headers['content-type'], text };
        };
        expect(JSON.parse((await read('/openapi.json')).text)).toMatchObject({ openapi: '3.1.0' });
        const page = await read('/docs');
        expect(page.type).toBe('text/html; charset=utf-8');
        const parts = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
        expect(parts.length).toBeGreaterThan(2);
        for (const path of parts) expect((await ask({ path })).status).toBe(200);
      }
    });
  });

  describe('every route', () => {
    it('answers under /api-host as well, with a request id on every answer', async () => {
      const paths = [
        '/ok',
        '/v2/deployments',
        ofDeployment(),
        ofDeployment('/revisions'),
        ofRevision(),
        '/v2/listeners',
      ];
      for (const path of paths) {
        const [plain, prefixed] = await Promise.all([ask({ path }), ask({ path: `/api-host${path}` })]);
        expect([plain.status, prefixed.status]).toEqual([200, 200]);
        expect(timeless(prefixed)).toBe(timeless(plain));
        expect(plain.headers['x-request-id']).not.toBe(prefixed.headers['x-request-id']);
        for (const one of [plain, prefixed]) expect(one.headers['x-request-id']).toMatch(/^\S{8,}$/);
      }
      const etag = String((await ask({ path: '/v2/deployments' })).headers.etag);
      const tagged = await ask({ path: '/v2/deployments', headers: { 'if-none-match': etag } });
      expect([tagged.status, tagged.text, tagged.headers.etag]).toEqual([304, '', etag]);
    });

    it('takes an empty body with and without a content type for an empty object', async () => {
      const path = `/api-host/v1/projects/${empty.id}/deploy_logs`;
      for (const type of ['application/json', 'none', 'application/x-www-form-urlencoded']) {
        const answer = await ask({ method: 'POST', path, body: '', headers: { 'content-type': type } });
        expect([answer.status, JSON.parse(answer.text)]).toEqual([
          200,
          { logs: [], next_offset: expect.any(String) },
        ]);
      }
    });

    it('answers HEAD as GET, without the body, where nothing but reading is done', async () => {
      for (const path of ['/ok', '/openapi.json', '/docs', '/console/', '/v2/deployments', '/nothing']) {
        const [head, get] = [await ask({ method: 'HEAD', path }), await ask({ path })];
        const told = ({ headers }: typeof head) => [headers['content-type'], headers['content-length']];
        expect([path, head.status, head.text, ...told(head)]).toEqual([path, get.status, '', ...told(get)]);
      }
      expect((await ask({ method: 'HEAD', path: '/v2/events' })).status).toBe(405);
    });

    it('stays up whatever methods, sizes and broken requests come', async () => {
      for (const method of ['OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PROPFIND']) {
        for (const path of ['/ok', '/v2/deployments', ofRevision(), '/nothing', '*']) {
          const { status } = await ask({ method, path });
          expect(status).toBeGreaterThanOrEqual(400);
          expect(status).toBeLessThan(500);
        }
      }
      const huge = await ask({ method: 'POST', path: '/v2/deployments', body: 'x'.repeat(7 * 1024 * 1024) });
      expect([huge.status, huge.headers['x-request-id']]).toEqual([413, expect.stringMatching(/^\S{8,}$/)]);
      expect(await sendBytes(program(), 'NOT HTTP AT ALL\r\n\r\n')).toMatch(
        /^HTTP\/1\.1 400 [^]*x-request-id: \S{8,}\r\nx-slipway-version: \S+\r\nx-content-type-options: nosniff[^]*\{"detail":"These bytes are no HTTP request.","code":"malformed_request"\}$/,
      );
      const longest = `GET /ok?${'x'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`;
      expect(await sendBytes(program(), longest)).toMatch(
        /^HTTP\/1\.1 431 [^]*x-request-id: \S{8,}[^]*\{"detail":"The address and the headers [^"]*","code":"headers_too_large"\}$/,
      );
      const cut = 'POST /v2/deployments HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"name"';
      await sendBytes(program(), cut, 'end');
      expect((await ask({ path: '/ok' })).text).toBe('{"ok":true}');
      expect(program().output()).not.toMatch(/ERROR/);
    });
  });
}
