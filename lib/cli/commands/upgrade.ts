import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { command } from '../shell/command.ts';
import { Ended } from '../shell/ends.ts';
import { type Manifest, served, servedJson } from '../shell/served.ts';

export const upgrade = command({
  name: 'upgrade',
  args: '',
  says: 'Replace this program by the one that the installation serves',
  more: 'The single file replaces itself. Where npm has installed it, the line that does is printed.',
  examples: ['slipway upgrade', 'slipway upgrade --profile prod'],
  flags: {},
  async run(shell) {
    const { output, world, access } = shell;
    const { version, package: packed, program } = await servedJson<Manifest>(shell, 'manifest.json');
    if (world.program.endsWith('.ts'))
      throw new Ended(`This program is run from its sources (${world.program}): git pull upgrades it.`);
    const file = realpathSync(world.program);
    if (sha256(readFileSync(file)) === program.sha256)
      return output.result({ version, is_replaced: false }, [
        `This is the one of ${access.url} (${version})`,
      ]);
    if (/[/\\]node_modules[/\\]/.test(file) || !isWritable(file)) {
      const isNpx = /[/\\]_npx[/\\]/.test(file);
      const line = `${isNpx ? 'npx --yes' : 'npm install --global'} ${access.url}/cli/${packed.name}`;
      output.say(isNpx ? 'The address of the new one is:' : 'What npm has installed, npm replaces:');
      return output.result({ version, is_replaced: false, line }, [line]);
    }
    const bytes = await served(shell, program.name);
    if (bytes.length !== program.size_bytes || sha256(bytes) !== program.sha256)
      throw new Ended('What came is not what the manifest names. Nothing was changed: try again.');
    replace(file, bytes);
    output.result({ version, is_replaced: true, file }, [`${file} is Slipway ${version} now`]);
  },
});

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function isWritable(file: string): boolean {
  try {
    for (const each of [file, dirname(file)]) accessSync(each, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whoever starts the program meanwhile gets the old one or the new one, whole. */
function replace(file: string, bytes: Uint8Array): void {
  const draft = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    // Nobody else's file, nor what a link leads to.
    rmSync(draft, { force: true });
    writeFileSync(draft, bytes, { flag: 'wx' });
    chmodSync(draft, statSync(file).mode);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
