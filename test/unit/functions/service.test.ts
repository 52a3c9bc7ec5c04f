import { describe, expect, it } from 'vitest';
import { create as createDocs } from '../../../functions/api/service/docs.ts';
import { create as createFile } from '../../../functions/api/service/docs-file.ts';
import { create as createOpenApi } from '../../../functions/api/service/openapi.ts';
import { apiEvent, type EventParts, lambdaContext } from '../../support/http/event.ts';

const docs = (parts: EventParts = {}) =>
  createDocs(() => ({}))(apiEvent({ path: '/docs', ...parts }), lambdaContext());

describe('GET /docs', () => {
  it('is a page that may load our own files alone, and holds no script itself', async () => {
    const { statusCode, headers, body = '' } = await docs();
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    });
    const policy = String(headers?.['Content-Security-Policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
    );
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
    expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|style=|https?:/);
  });

  it.each([
    ['$default', ''],
    ['api-host', '/api-host'],
  ])('names its parts from the root of the host, at the stage %s', async (stage, prefix) => {
    const { body = '' } = await docs({ stage });
    const named = [...body.matchAll(/(?:src|href|data-openapi)="(\/[^"]*)"/g)].map(([, path]) => path);
    expect(new Set(named)).toEqual(
      new Set([
        `${prefix}/openapi.json`,
        `${prefix}/docs/swagger-ui.css`,
        `${prefix}/docs/swagger-ui-bundle.js`,
        `${prefix}/docs/start.js`,
      ]),
    );
  });
});

describe('GET /docs/{file}', () => {
  const apiDocs = { read: async (file: string) => `the text of ${file}` };
  const ask = (file: string) =>
    createFile(() => ({ apiDocs }))(apiEvent({ path: `/docs/${file}`, params: { file } }), lambdaContext());

  it.each([
    ['swagger-ui.css', 'text/css; charset=utf-8', 'the text of swagger-ui.css'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'the text of swagger-ui-bundle.js'],
    ['start.js', 'text/javascript; charset=utf-8', expect.stringContaining('SwaggerUIBundle({')],
  ])('%s is %s', async (file, type, body) => {
    expect(await ask(file)).toMatchObject({ statusCode: 200, headers: { 'content-type': type }, body });
  });

  it.each(['package.json', '../index.mjs', 'swagger-ui.css.map'])('%s is no part of it', async (file) => {
    expect(await ask(file)).toMatchObject({ statusCode: 422 });
  });
});

it('GET /openapi.json is the description as it is kept', async () => {
  const apiDocs = { read: async (file: string) => JSON.stringify({ file }) };
  const ask = createOpenApi(() => ({ apiDocs }));
  const answer = await ask(apiEvent({ path: '/openapi.json' }), lambdaContext());
  expect(answer).toMatchObject({
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"file":"openapi.json"}',
  });
});
