import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { api, type Program } from '../programs/program.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What a browser has seen of the console, whether the test asks for it or not. */
export type Seen = {
  /** Every address that was asked for or stood in the address bar. */
  addresses: string[];
  /** What the browser complained of: errors of scripts, and what the page's policy refused. */
  complaints: string[];
  /** Answers that set a cookie. */
  cookies: string[];
};

export type Person = { context: BrowserContext; page: Page; seen: Seen };

/** Refusals that a test asks for are said in the browser's console as well; they are no complaint. */
const EXPECTED =
  /^Failed to load resource: (?:the server responded with a status of 4\d\d|net::ERR_INTERNET_DISCONNECTED)/;

/** A browser of its own, that is watched. */
export async function aPerson(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Person> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  // A slow hour takes a second what takes it a tenth.
  context.setDefaultTimeout(240_000);
  const seen: Seen = { addresses: [], complaints: [], cookies: [] };
  const watch = (page: Page) => {
    page.on('request', (request) => seen.addresses.push(request.url()));
    page.on('framenavigated', (frame) => seen.addresses.push(frame.url()));
    page.on('pageerror', (error) => seen.complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !EXPECTED.test(message.text())) seen.complaints.push(message.text());
    });
    page.on('response', async (response) => {
      const headers = await response.allHeaders().catch(() => ({}));
      if ('set-cookie' in headers) seen.cookies.push(response.url());
    });
  };
  context.on('page', watch);
  return { context, page: await context.newPage(), seen };
}

/** A link to the console, made with a key; by default the program's own. */
export async function aLink(program: Program, key = program.apiKey): Promise<string> {
  const answer = await api({ ...program, apiKey: key }, 'POST', '/v2/console-links');
  expect(answer.status).toBe(201);
  return (answer.body as { url: string }).url; // the answer of that route
}

/** The key that the page works with. */
export const keyIn = (page: Page): Promise<string> => page.evaluate<string>("name.replace(/^.*=/, '')");

/** Chooses from a list that opens below its button, as `Choice` of console/ui/choice.tsx draws it. */
export async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${label}\\b`) }).click();
  await page.getByRole('option', { name: option }).click();
}

/** Does what stands in the menu of who is signed in. */
export async function inOwnMenu(page: Page, item: string): Promise<void> {
  await page.locator('button.person').click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Chooses among the tenants of who is signed in. */
export async function chooseTenant(page: Page, name: string): Promise<void> {
  await page.locator('button.tenant').click();
  await page.getByRole('menuitemradio', { name, exact: true }).click();
}

/** What is wrong with the page for those who cannot see or point well, in words. */
export async function barriers(page: Page): Promise<string[]> {
  // The page's policy lets no script in, and this is none of the page's.
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- axe sets this global
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    type Violation = { id: string; nodes: { html: string; failureSummary?: string }[] };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
    );
  });
}

/** The same in both themes. */
export async function barriersInBothThemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    found.push(...(await barriers(page)).map((each) => `${colorScheme}: ${each}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}
