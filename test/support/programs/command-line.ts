import { systemClock } from '../../../lib/adapters/clock.ts';
import { main, type World } from '../../../lib/cli/main.ts';

/**
 * Runs a command line in this process, and gives its exit code and what it printed. It reaches what is given,
 * and no other table or function.
 */
export async function commandLine(
  args: string[],
  given: Partial<
    Pick<
      World,
      | 'clock'
      | 'open'
      | 'functionsOf'
      | 'installations'
      | 'backups'
      | 'accessTo'
      | 'ask'
      | 'environment'
      | 'isFolder'
    >
  >,
): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await main(args, {
    clock: systemClock,
    environment: {},
    isFolder: () => false,
    open: async () => {
      throw new Error('no command here opens a table');
    },
    accessTo: async () => {
      throw new Error('no command here asks the API');
    },
    installations: {
      settings: async () => {
        throw new Error('no command here reads settings');
      },
      preflight: async () => {
        throw new Error('no command here asks the account');
      },
    },
    backups: {
      backUp: async () => {
        throw new Error('no command here makes a backup');
      },
      restore: async () => {
        throw new Error('no command here restores one');
      },
    },
    functionsOf: () => {
      throw new Error('no command here needs functions');
    },
    listen: async () => ({ stop: async () => undefined }),
    ask: async () => {
      throw new Error('no command here asks an agent');
    },
    untilAsked: async () => undefined,
    write: (text) => out.push(text),
    writeError: (text) => err.push(text),
    ...given,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}
