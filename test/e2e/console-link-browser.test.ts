import type { Browser } from 'playwright-core';
import { expect, it } from 'vitest';
import { installed } from '../support/console/installed.ts';
import { aPerson, keyIn } from '../support/console/person.ts';
import type { Program } from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** The link to the console that the program prints: it is over soon, so it is followed before all else. */
let program: Program;
let browser: Browser;

installed(async (here) => {
  ({ program, browser } = here);
  await here.unused('agent');
});

const linksPrinted = () =>
  [...program.output().matchAll(/(\S+\/console\/#code=\S+)/g)].map(([, link = '']) => link);

it('the link of the banner leads to the list, works once, and the next one is printed', async () => {
  const [link = ''] = linksPrinted();
  const { page, context, seen } = await aPerson(browser);
  await page.goto(link);
  await page.getByRole('link', { name: 'agent', exact: true }).waitFor();
  expect(page.url()).toBe(`${program.baseUrl}/console/`);

  const other = await aPerson(browser);
  await other.page.goto(link);
  await other.page.getByText('This link to the console is over').waitFor();
  const next = await until(() => linksPrinted()[1], { what: 'the next link' });
  await other.page.goto('about:blank');
  await other.page.goto(next);
  await other.page.getByRole('link', { name: 'agent', exact: true }).waitFor();

  const key = await keyIn(page);
  expect(key).toMatch(/^slp_/);
  const shown = [...seen.addresses, ...other.seen.addresses].join('\n');
  expect(shown).not.toContain(key);
  // What stands behind # is never sent, and it is taken out of the address before anything else.
  expect(seen.addresses.filter((address) => address.includes('code='))).toEqual(
    seen.addresses.filter((address) => address === link),
  );
  expect([await context.cookies(), seen.cookies, seen.complaints]).toEqual([[], [], []]);
  expect([other.seen.cookies, other.seen.complaints]).toEqual([[], []]);
});
