import { CHROMIUM_NEEDED, hasChromium } from '../programs/chromium.ts';
import { Checks } from './checks.ts';

const checks = new Checks('test-results/browser');
if (!hasChromium()) console.log(CHROMIUM_NEEDED);
process.env.TEST_BROWSER = '1';
// Without a browser nothing is skipped: the tests fail, and say what is missing.
await checks.test({ args: ['browser.test.ts'], shown: true });
checks.finish();
