import { Checks } from './checks.ts';
import type { Step } from './run-step.ts';

/** The tests measure time and wait for programs: these read the sources only, and take what of the machine is left over meanwhile. */
const leisurely = (command: string, ...args: string[]): Step['command'] => ['nice', '-n', '10', command, ...args];

const sourceChecks: readonly Step[] = [
  { name: 'types', command: leisurely('tsc', '--noEmit') },
  { name: 'lint', command: leisurely('oxlint', '--type-aware', '--deny-warnings') },
  { name: 'format', command: leisurely('biome', 'check', '--error-on-warnings') },
  { name: 'unused code', command: leisurely('knip', '--no-progress') },
];

const checks = new Checks('test-results/main');
console.log(`Checking ${sourceChecks.map(({ name }) => name).join(', ')} while all tests run.`);
await Promise.all([...sourceChecks.map((step) => checks.run(step)), checks.test()]);
checks.finish();
