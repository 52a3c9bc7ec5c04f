import { writeFile } from 'node:fs/promises';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { listenerFile, renderListenerFile } from './chart.ts';

const processes = new ProcessSupervisor();
await writeFile(listenerFile, await renderListenerFile(processes));
await processes.close();
