import { childEnvironment } from '../../../lib/processes/environment.ts';
import { ProcessKeeper } from '../../../lib/processes/keeper.ts';

/** A program that keeps one group of three processes, one of them outside the process group; the tests kill it. */
const keeper = new ProcessKeeper();
keeper.start({
  command: '/bin/sh',
  args: ['-c', 'sleep 600 & setsid sleep 601 & wait'],
  cwd: '/',
  environment: childEnvironment(),
  onLine: () => undefined,
});
let said: number | undefined;
setInterval(() => {
  if (keeper.wardenPid === said) return;
  said = keeper.wardenPid;
  console.log(JSON.stringify({ keeper: keeper.id, warden: said }));
}, 10);
