import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { create } from '../../../functions/api/command-line/file.ts';
import {
  type CliDistribution,
  cliFilesOf,
  makeCliDistribution,
} from '../../../lib/cli-bundle/distribution.ts';
import { apiEvent, type EventParts, lambdaContext } from '../../support/http/event.ts';

let made: CliDistribution;
beforeAll(async () => {
  made = await makeCliDistribution();
});

const serve = create(() => ({ cliFiles: cliFilesOf(async () => made) }));
const ask = (file: string | undefined, parts: EventParts = {}) => {
  const place = file === undefined ? { path: '/cli' } : { path: `/cli/${file}`, params: { file } };
  return serve(apiEvent({ ...place, ...parts }), lambdaContext());
};

describe('the command line as it is served', () => {
  it('is installed by the lines that its page has, for the address that it is asked at', async () => {
    const { statusCode, headers, body } = await ask(undefined, { stage: 'api-host' });
    expect([statusCode, headers?.['content-type'], headers?.['Cache-Control']]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'no-cache',
    ]);
    const [install] = /^npm install --global \S+$/m.exec(body ?? '') ?? [];
    expect(install).toMatch(/https:\/\/[\w.-]+\/api-host\/cli\/slipway-[0-9a-f]{16}\.tgz$/);
    expect(install?.split('/').at(-1)).toBe(made.manifest.package.name);
  });

  it('keeps the package for ever, and has the rest asked for anew', async () => {
    const { package: tgz, program, templates } = made.manifest;
    for (const { name, sha256, size_bytes: size } of [tgz, program, templates]) {
      const { headers = {}, body = '' } = await ask(name);
      const bytes = Buffer.from(body, 'base64');
      expect([createHash('sha256').update(bytes).digest('hex'), bytes.length]).toEqual([sha256, size]);
      expect(headers['Cache-Control']).toBe(
        name === tgz.name ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      const again = await ask(name, { headers: { 'if-none-match': String(headers.ETag) } });
      expect([again.statusCode, again.body]).toEqual([304, undefined]);
    }
  });

  it('names its files, sizes and hashes in a manifest', async () => {
    const { headers, body = '' } = await ask('manifest.json');
    expect(headers?.['content-type']).toBe('application/json');
    expect(JSON.parse(Buffer.from(body, 'base64').toString())).toEqual(made.manifest);
  });

  it.each(['slipway-0123456789abcdef.tgz', '../manifest.json', 'constructor', ''])(
    'has no %j but what it is made of',
    async (file) => {
      const { statusCode } = await ask(file);
      expect(statusCode).toBe(file === '' ? 200 : 404);
    },
  );

  it('is the same for the same sources, and a program that starts on its own', async () => {
    const { manifest } = await makeCliDistribution();
    expect(manifest).toEqual(made.manifest);
    const tar = gunzipSync(made.files.get(manifest.package.name) ?? '').toString('latin1');
    expect(tar).toContain('"bin": {\n    "slipway": "slipway.mjs"\n  }');
    expect(made.files.get('slipway.mjs')?.toString()).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('has templates that are examples as they stand, no file of which is empty', () => {
    const templates: Record<string, Record<string, string>> = JSON.parse(
      String(made.files.get('templates.json')),
    );
    expect(Object.keys(templates)).toEqual(['fastapi', 'langgraph-python', 'langgraph-js', 'mcp']);
    for (const files of Object.values(templates))
      expect(Object.values(files).every((text) => text.length > 10)).toBe(true);
  });
});
