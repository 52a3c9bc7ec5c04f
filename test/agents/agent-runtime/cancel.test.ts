import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { run } from '../../support/programs/python-tools.ts';
import { newProject } from './agent-server.ts';

const workerFolder = fileURLToPath(new URL('../../../lib/agent-runtime/python', import.meta.url));
const processes = new ProcessSupervisor();
let folder = '';

afterAll(async () => {
  await processes.close();
  await rm(folder, { recursive: true, force: true });
});

/** Both frames came at once: the loop has not begun the run's task when it is to end. */
const SCRIPT = `
import asyncio, json
from slipway_worker.runs import Run

class Channel:
    sent = []
    def send(self, header, body=b""):
        self.sent.append(header)

async def main():
    args = {"run_id": "r", "owner": "o", "epoch": 1, "revision_id": "v"}
    run = Run(None, None, None, args, Channel(), 7)
    run.start()
    run.cancel()
    await asyncio.wait([run.task])
    print(json.dumps(Channel.sent))

asyncio.run(main())
`;

test('a run that is cancelled before its task has begun says that it has ended', async () => {
  folder = await newProject(processes);
  const environment = { PYTHONPATH: workerFolder, PYTHONDONTWRITEBYTECODE: '1' };
  const said = await run(processes, join(folder, '.venv/bin/python'), ['-c', SCRIPT], { environment });
  expect(JSON.parse(said)).toEqual([{ id: 7, e: '__cancelled__' }]);
});
