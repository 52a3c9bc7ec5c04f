import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from '../until.ts';
import { barriersInBothThemes } from './person.ts';

/** Everything that a page holds which somebody could read later; the session's own key is in the tab's name. */
const HELD = `JSON.stringify([
  document.documentElement.outerHTML,
  [...document.querySelectorAll('input, textarea')].map(({ value }) => value),
  { ...sessionStorage },
  { ...localStorage },
  history.state,
  location.href,
])`;

export const heldBy = (page: Page): Promise<string> => page.evaluate<string>(HELD);

/** Waits until the page is there, and finds no barrier on it and nothing that is wider than it. */
export async function expectNoBarrier(page: Page, what: string): Promise<void> {
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  expect([what, await barriersInBothThemes(page)]).toEqual([what, []]);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  expect([what, overflow]).toEqual([what, 0]);
}

/** Opens each dialog by its button, finds no barrier in it, and closes it by the keyboard alone. */
export async function expectNoBarrierInDialogs(
  page: Page,
  dialogs: readonly (readonly [button: string | RegExp, title: string | RegExp])[],
): Promise<void> {
  // What is read meanwhile may take a button's place, and the focus with it.
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  for (const [button, title] of dialogs) {
    const opener = page.getByRole('button', { name: button }).first();
    await opener.press('Enter');
    const dialog = page.getByRole('dialog', { name: title });
    await dialog.waitFor();
    expect([String(title), await barriersInBothThemes(page)]).toEqual([String(title), []]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until(() => opener.evaluate((each) => each.matches(':focus')), {
      what: `the focus to be back from ${title}`,
    });
  }
}
