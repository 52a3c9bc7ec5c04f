import { expect } from 'vitest';
import type { WireRecord } from './wire.ts';
import { NOBODY, open } from './wired-world.ts';

/** The service describes itself to everybody. */
export async function expectService(record: WireRecord): Promise<void> {
  const { wire } = await open(record);
  expect(await wire.ask('getOk')).toEqual({ ok: true });
  expect(JSON.parse((await wire.ask('getOpenApi')).text)).toMatchObject({ openapi: '3.1.0' });
  const page = (await wire.ask('getDocs')).text;
  const parts = [...page.matchAll(/(?:src|href)="\/docs\/([^"]+)"/g)].map(([, file = '']) => file);
  expect(parts).toHaveLength(3);
  for (const file of parts) await wire.ask('getDocsFile', { params: { file } });
  const console = (await wire.ask('getConsole')).text;
  const assets = [...console.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, file = '']) => file);
  expect(assets.length).toBeGreaterThan(1);
  for (const proxy of [...assets, 'deployments']) await wire.ask('getConsolePart', { params: { proxy } });
  await wire.refuse('path_not_found', {}, 'getConsolePart', { params: { proxy: 'assets/old.js' } });
  const [, cli = ''] = /\/cli\/(slipway-\w+\.tgz)\n/.exec((await wire.ask('getCli')).text) ?? [];
  for (const file of [cli, 'slipway.mjs', 'manifest.json', 'templates.json'])
    await wire.ask('getCliFile', { params: { file } });
  await wire.refuse('path_not_found', {}, 'getCliFile', { params: { file: 'slipway-old.tgz' } });
  await wire.ask('getHome');
  await wire.ask('openConsole', { params: { tenant_id: NOBODY, deployment_id: NOBODY } });
}
