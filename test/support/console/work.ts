import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Installed } from './installed.ts';
import { heldBy } from './look.ts';
import { aLink, aPerson, type Person } from './person.ts';

/** Somebody at work in the console, and what was secret on the way. */
export type Worker = Person & {
  at: (path: string) => string;
  button: (name: string | RegExp) => Locator;
  dialog: () => Locator;
  /** Sends the dialog that is open, and waits until it is over. */
  send: (verb: string) => Promise<void>;
  /** Takes note of the secret that the dialog shows, and closes it. */
  keepSecret: () => Promise<string>;
  secrets: string[];
  /** What scripts have said in the browser's console. */
  said: string[];
};

/** Signs in with the program's own key. */
export async function aWorker({ browser, program, at }: Installed): Promise<Worker> {
  const person = await aPerson(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = person;
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  await page.goto(await aLink(program));
  await page.getByRole('heading', { name: 'Deployments' }).waitFor();
  const secrets: string[] = [];
  const dialog = () => page.getByRole('dialog');
  return {
    ...person,
    said,
    secrets,
    dialog,
    at,
    button: (name) => page.getByRole('button', { name, exact: true }),
    send: async (verb) => {
      const title = (await dialog().getByRole('heading').textContent()) ?? '';
      await dialog().getByRole('button', { name: verb, exact: true }).click();
      await page.getByRole('dialog', { name: title, exact: true }).waitFor({ state: 'detached' });
    },
    keepSecret: async () => {
      const secret = (await dialog().locator('.secret').textContent()) ?? '';
      secrets.push(secret);
      // Who has not copied it is asked before it is gone.
      await page.keyboard.press('Escape');
      await dialog().getByText('You have not copied it').waitFor();
      await dialog().getByRole('button', { name: 'Copy', exact: true }).click();
      await dialog().getByRole('button', { name: 'Done' }).click();
      // A dialog that is closed has no role, but may be there for a moment.
      await page.locator('.secret').waitFor({ state: 'detached' });
      return secret;
    },
  };
}

export const clipboardOf = (page: Page): Promise<string> =>
  page.evaluate<string>('navigator.clipboard.readText()');

/** Walks the pages, and finds no secret on any, in no address, and in nothing that was said. */
export async function expectNoSecret(
  { page, at, seen, said, secrets }: Worker,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    await page.goto(at(path));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    const held = await heldBy(page);
    expect([path, secrets.filter((secret) => held.includes(secret))]).toEqual([path, []]);
  }
  const passed = [...seen.addresses, ...said].join('\n');
  expect(secrets.filter((secret) => passed.includes(secret))).toEqual([]);
  expect([seen.complaints, seen.cookies]).toEqual([[], []]);
}

export type Receiver = {
  url: string;
  /** Whatever came: its type if it is a webhook, and the id that says what is the same. */
  received: { type: string | undefined; id: string }[];
  /** What it answers from now on. */
  answer: (status: number) => void;
  close: () => void;
};

/** A server that takes webhooks, and anything else. */
export async function aReceiver(): Promise<Receiver> {
  const received: Receiver['received'] = [];
  let status = 204;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { type } = (body === '' ? {} : JSON.parse(body)) as { type?: string }; // as webhooks are
    received.push({ type, id: String(request.headers['webhook-id']) });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo; // it listens
  return {
    url: `http://localhost:${port}/hook`,
    received,
    answer: (next) => {
      status = next;
    },
    close: () => server.close(),
  };
}
