import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { endProgram, startProgram } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

const program = fileURLToPath(new URL('../../bin/slipway.ts', import.meta.url));
const run = promisify(execFile);

it('makes another tenant in an installation that runs, and says so when none does', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'slipway-e2e-'));
  const bootstrap = () =>
    run(process.execPath, [
      program,
      'admin',
      'bootstrap',
      '--second-tenant',
      '--json',
      '--data-dir',
      dataFolder,
    ]);
  const notRunning = { code: 1, stderr: expect.stringMatching(/does not run on .*npm start/) };
  try {
    expect(await bootstrap().catch((error: unknown) => error)).toMatchObject(notRunning);
    const running = await startProgram({ dataFolder });
    try {
      const made = JSON.parse((await bootstrap()).stdout);
      expect(made.tenant_id).not.toBe(running.tenantId);
      const headers = { 'x-api-key': made.api_key };
      const answer = await fetch(`${running.baseUrl}/v2/listeners`, { headers });
      expect(await answer.json()).toEqual({ resources: [], offset: 0 });
      await running.killGroup();
      // What it had started is ended by its wardens, in a moment.
      const isOver = async () => (await running.alive()).length === 0;
      await until(isOver, { what: 'everything to end' });
      expect(await bootstrap().catch((error: unknown) => error)).toMatchObject(notRunning);
    } finally {
      expect(await endProgram(running)).toEqual([]);
    }
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
});
