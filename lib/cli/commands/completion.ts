import { type Command, command } from '../shell/command.ts';
import { completedShells, completionOf } from '../shell/completion.ts';
import { UsageError } from '../shell/ends.ts';

/** Of the table that it is in itself. */
export const completion = (table: () => readonly Command[]): Command =>
  command({
    name: 'completion',
    args: 'SHELL',
    says: 'Print what makes a shell complete commands and flags: bash, zsh or fish',
    examples: [
      'source <(slipway completion bash)',
      'slipway completion fish > ~/.config/fish/completions/slipway.fish',
    ],
    flags: {},
    async run(shell, _, [wanted]) {
      const known = completedShells.find((each) => each === wanted);
      if (known === undefined)
        throw new UsageError(`There is completion for ${completedShells.join(', ')}, not '${wanted}'.`);
      const script = completionOf(known, table());
      shell.output.result({ shell: known, script }, [script]);
    },
  });
