import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { platformOf } from '../contract/images/platforms.ts';
import { BuildFailure } from './failure.ts';

/**
 * How wheels name the systems and processors of platforms: `manylinux_2_17_aarch64`,
 * `macosx_11_0_universal2`.
 */
const SYSTEMS: Record<string, RegExp> = { linux: /^(many|musl)?linux/, darwin: /^macosx_/ };
const PROCESSORS: Record<string, RegExp> = {
  amd64: /_(x86_64|universal2)$/,
  arm64: /_(aarch64|arm64|universal2)$/,
};

/**
 * Makes sure that what was installed into a virtual environment runs on machines of this kind. An installer
 * refuses wheels of another kind by itself, unless it is told to take them; they would fail when the agent
 * starts, in words that nobody understands. Throws BuildFailure.
 */
export async function requireOwnWheels(venv: string, platform = platformOf(process)): Promise<void> {
  const names = await readdir(venv, { recursive: true }).catch(() => []);
  for (const name of names.filter((one) => /site-packages\/[^/]+\.dist-info\/WHEEL$/.test(one))) {
    const tags = tagsIn(await readFile(join(venv, name), 'utf8'));
    if (tags.length === 0 || tags.some((tag) => fits(tag, platform))) continue;
    const [, found = ''] = /(?:^|\/)([^/]+)\.dist-info$/.exec(dirname(name)) ?? [];
    throw new BuildFailure(
      `Package ${found.replace('-', ' ')} was installed for ${tags.join(' and ')}, and this is built for a listener on ${platform}. Let the installer choose the package for the machine that it runs on, or deploy to a listener of that kind.`,
    );
  }
}

/** The platforms of a wheel: the last part of each of its tags. */
const tagsIn = (text: string): string[] =>
  [...text.matchAll(/^Tag: *\S+-([^\s-]+)$/gm)].flatMap(([, platforms = '']) => platforms.split('.'));

function fits(tag: string, platform: string): boolean {
  if (tag === 'any') return true;
  const [system = '', processor = ''] = platform.split('/');
  const [bySystem, byProcessor] = [SYSTEMS[system], PROCESSORS[processor]];
  // What is not known here is not judged.
  return (bySystem?.test(tag) ?? true) && (byProcessor?.test(tag) ?? true);
}
