import { childEnvironment } from '../../../lib/processes/environment.ts';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';

/**
 * A program that keeps one group of three processes, one of them outside the process group; the tests kill
 * it.
 */
const supervisor = new ProcessSupervisor();
supervisor.start({
  command: '/bin/sh',
  args: ['-c', 'sleep 600 & setsid sleep 601 & wait'],
  cwd: '/',
  environment: childEnvironment(),
  onLine: () => undefined,
});
let said: number | undefined;
setInterval(() => {
  if (supervisor.wardenPid === said) return;
  said = supervisor.wardenPid;
  console.log(JSON.stringify({ supervisor: supervisor.id, warden: said }));
}, 10);
