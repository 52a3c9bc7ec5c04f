import { Checks } from './checks.ts';

const checks = new Checks('test-results/kills');
process.env.TEST_KILLS = '1';
await checks.test({ args: ['test/kills', ...process.argv.slice(2)], shown: true });
checks.finish();
