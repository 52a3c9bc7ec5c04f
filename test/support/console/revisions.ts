import type { Locator, Page } from 'playwright-core';

/** The row of a revision in a list. */
export const rowOf = (page: Page, number: number): Locator =>
  page.locator('.rev', { has: page.getByRole('link', { name: `Revision ${number}`, exact: true }) });

/** Chooses an action in the menu of a revision: 'Roll back to 1…'. */
export async function chooseFor(page: Page, number: number, action: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: `Actions for revision ${number}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Waits until the page of a revision says that it serves. */
export const serves = (page: Page, number: number): Promise<void> =>
  page
    .getByRole('heading', { name: new RegExp(`^Revision ${number}\\b`) })
    .getByText('Serving')
    .waitFor();
