import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian, Ubuntu and their like put it; CHROMIUM names another one. */
const path = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** What to do on a machine that has none. */
export const CHROMIUM_NEEDED = `There is no Chromium at ${path}. Install it (Debian: apt-get install -y --no-install-recommends chromium), or name it in CHROMIUM.`;

export const hasChromium = (): boolean => existsSync(path);

/** Starts a browser without windows. Throws, saying how to install one, where there is none. */
export async function openChromium(): Promise<Browser> {
  if (!hasChromium()) throw new Error(CHROMIUM_NEEDED);
  // The sandbox needs rights that containers seldom have; what is opened here is our own.
  return chromium.launch({ executablePath: path, headless: true, args: ['--no-sandbox'] });
}
