import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { gitRepositoryIn, type TestRepository } from '../files/git-repository.ts';
import { newFolder, removeFolder } from '../files/temporary-folder.ts';
import type { Files } from '../files/write-files.ts';
import { helloFiles } from '../programs/hello-server.ts';
import {
  create,
  deployed,
  endProgram,
  expectApi,
  type Program,
  type ShownDeployment,
  startProgram,
} from '../programs/program.ts';
import { aLink, aPerson, type Person } from './person.ts';

/** Where Debian, Ubuntu and their like put it; CHROMIUM names another one. */
const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Starts a browser without windows. Throws, saying how to install one, where there is none. */
async function openChromium(): Promise<Browser> {
  if (!existsSync(chromiumPath))
    throw new Error(
      `There is no Chromium at ${chromiumPath}. Install it (Debian: apt-get install -y --no-install-recommends chromium), or name it in CHROMIUM.`,
    );
  // The sandbox needs rights that containers seldom have; what is opened here is our own.
  return chromium.launch({ executablePath: chromiumPath, headless: true, args: ['--no-sandbox'] });
}

/** Closes a browser. Its pages still ask what a test answers in their way: those requests end with it. */
async function closeBrowser(browser: Browser): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
  await browser.close();
}

/** What people have: the program as it is installed, and a browser. */
export type Installed = {
  program: Program;
  browser: Browser;
  /** The address of a page of the console. */
  at: (path: string) => string;
  /** A repository of the example server, or of these files. */
  repository: (files?: Files) => Promise<TestRepository>;
  /** The example server, deployed under the name `hello`. */
  hello: (more?: object) => Promise<ShownDeployment>;
  /** A deployment that nothing is deployed to. */
  unused: (name: string) => Promise<ShownDeployment>;
  /** Somebody who has signed in by a link, made with this key; by default with the program's own. */
  signedIn: (key?: string) => Promise<Person>;
};

/** Names no source, so that nothing is built. */
const EMPTY = { source: 'internal_source', source_config: {}, source_revision_config: {} };

/**
 * Starts the program and a browser before the tests of the file that calls this, and prepares what they
 * find. Afterwards both are ended, and the program leaves nothing behind.
 */
export function installed(
  prepare: (installed: Installed) => Promise<void>,
  environment: Record<string, string> = {},
): void {
  const toEnd: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const browser = await openChromium();
    toEnd.push(() => closeBrowser(browser));
    const program = await startProgram({ environment });
    toEnd.push(async () => expect(await endProgram(program)).toEqual([]));
    const folder = await newFolder();
    toEnd.push(() => removeFolder(folder));
    await prepare(installedAs(program, browser, folder));
  });
  afterAll(async () => {
    for (const end of toEnd) await end();
  });
}

function installedAs(program: Program, browser: Browser, folder: string): Installed {
  // A deployment that is given no name is called as the folder is.
  const source = join(folder, 'support-agent');
  const repository = async (files?: Files) => {
    await mkdir(source);
    return gitRepositoryIn(source, files ?? (await helloFiles()));
  };
  return {
    program,
    browser,
    at: (path) => `${program.baseUrl}/console/${path}`,
    repository,
    hello: async (more) => deployed(program, await create(program, 'hello', (await repository()).url, more)),
    unused: (name) => expectApi(program, 'POST', '/v2/deployments', { ...EMPTY, name }, 201),
    signedIn: async (key) => {
      const person = await aPerson(browser);
      await person.page.goto(await aLink(program, key));
      await person.page.getByRole('heading', { name: 'Deployments' }).waitFor();
      // What the role may do is known a moment later.
      await person.page.locator('.role').waitFor();
      return person;
    },
  };
}
