import { command } from '../shell/command.ts';
import { Ended } from '../shell/ends.ts';
import { deploymentOf } from '../shell/names.ts';
import { plain } from '../shell/output.ts';

export const open = command({
  name: 'open',
  args: '[D]',
  says: 'Print the address of a deployment; on a terminal, open it in the browser',
  examples: ['slipway open agent', 'curl "$(slipway open agent)/ok"'],
  flags: {},
  async run(shell, _, [name]) {
    const { name: called, url } = await deploymentOf(shell, name);
    if (url === null)
      throw new Ended(`${called} has no address: it does not serve. slipway why ${called} tells why.`);
    shell.output.result({ url }, [plain(url)]);
    // A command of the desktop decides by the scheme what to start.
    const isPage = /^https?:\/\//.test(url);
    if (isPage && shell.output.isLive && shell.output.isForPeople) await shell.world.openBrowser(url);
  },
});
