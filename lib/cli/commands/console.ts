import { Refusal } from '../../client/refusal.ts';
import { command } from '../shell/command.ts';
import type { Shell } from '../shell/shell.ts';

export const consolePage = command({
  name: 'console',
  args: '',
  says: 'Print the address of the console; on a terminal, open it in the browser',
  more: 'A key signs in by it: once, within five minutes, as the role of the key. Other credentials sign in themselves.',
  examples: ['slipway console'],
  flags: {},
  async run(shell) {
    const { output, world } = shell;
    const { url, expires_at: end } = await linkOf(shell);
    output.result({ url, expires_at: end }, [url]);
    if (end !== null) output.say('It signs in once, within five minutes: keep it to yourself.');
    if (output.isLive && output.isForPeople && /^https?:/.test(url)) await world.openBrowser(url);
  },
});

async function linkOf({ access, client, world }: Shell): Promise<{ url: string; expires_at: string | null }> {
  try {
    return await client.ask('POST /v2/console-links', {}, { signal: world.signal });
  } catch (error) {
    // What is no key, or a session's own, makes none.
    if (error instanceof Refusal && error.code === 'state_forbids')
      return { url: `${access.url}/console/`, expires_at: null };
    throw error;
  }
}
