import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commands } from '../../../lib/cli/commands/table.ts';
import { boundsOf, type Command, command, understand } from '../../../lib/cli/shell/command.ts';
import { completionOf } from '../../../lib/cli/shell/completion.ts';
import { helpOf } from '../../../lib/cli/shell/help.ts';
import { Output, plain } from '../../../lib/cli/shell/output.ts';
import { bundleCli } from '../../../lib/cli-bundle/bundle.ts';
import { slipway } from '../../support/programs/user-cli.ts';

const nothing = async () => undefined;
const table: Command[] = [
  command({
    name: 'secrets set',
    args: 'NAME...',
    says: 'Set secrets',
    examples: ['slipway secrets set A=1'],
    flags: {
      level: { value: 'LEVEL', says: 'how much', among: ['LOW', 'HIGH'] },
      file: { short: 'f', value: 'FILE', multiple: true, says: 'where from' },
      yes: { short: 'y', says: 'ask nothing' },
    },
    run: nothing,
  }),
  command({ name: 'list', args: '[D]', says: 'List', examples: ['slipway list'], flags: {}, run: nothing }),
];
const read = (...argv: string[]) => understand(table, argv);
const refusal = (...argv: string[]) => {
  try {
    read(...argv);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  throw new Error('it was understood');
};

describe('a command line', () => {
  it('is read by the row of its command, flags of all commands before it or after it', () => {
    expect(
      read('--json', 'secrets', 'set', 'A', '-y', '-f', 'x', '--file=y', 'B', '--tenant', 't'),
    ).toMatchObject({
      kind: 'run',
      command: { name: 'secrets set' },
      args: ['A', 'B'],
      given: { yes: true, file: ['x', 'y'] },
      everywhere: { json: true, tenant: 't' },
    });
    expect(read('--url', 'http://x', 'list')).toMatchObject({ everywhere: { url: 'http://x' }, args: [] });
    expect(read('list', '--', '--odd')).toMatchObject({ args: ['--odd'] });
  });

  it('is refused in words that say what would be right', () => {
    expect(refusal('secret', 'set')).toBe(
      "UsageError: There is no command 'secret'. Did you mean 'secrets set'?",
    );
    expect(refusal('secrets')).toBe('UsageError: slipway secrets is one of: secrets set.');
    expect(refusal('wholly-unknown')).toBe(
      "UsageError: There is no command 'wholly-unknown'. slipway help lists them.",
    );
    expect(refusal('secrets', 'set', 'A', '--lvel', 'LOW')).toBe(
      'UsageError: slipway secrets set has no flag --lvel. Did you mean --level?',
    );
    expect(refusal('secrets', 'set', 'A', '--level', 'MID')).toBe(
      "UsageError: slipway secrets set: --level is one of LOW, HIGH, not 'MID'.",
    );
    expect(refusal('secrets', 'set')).toBe(
      'UsageError: slipway secrets set needs NAME...: slipway secrets set A=1',
    );
    expect(refusal('list', 'a', 'b')).toBe("UsageError: slipway list takes [D]; 'b' is too many.");
    expect(refusal('list', '--tenant=')).toBe('UsageError: --tenant is empty.');
    expect(refusal('secrets', 'set', 'A', '--file')).toMatch(
      /^UsageError: Option '-f, --file <value>' argument missing/,
    );
    expect(refusal('list', '--json=1')).toMatch(/^UsageError: Option '--json' does not take an argument/);
  });

  it('takes as many arguments as its row says', () => {
    expect(boundsOf({ args: '' })).toEqual({ min: 0, max: 0 });
    expect(boundsOf({ args: 'A B' })).toEqual({ min: 2, max: 2 });
    expect(boundsOf({ args: '[NAME[=VALUE]...]' })).toEqual({ min: 0, max: Number.POSITIVE_INFINITY });
    expect(boundsOf({ args: '[FOLDER|REPOSITORY]' })).toEqual({ min: 0, max: 1 });
  });

  it('without a command prints help on stderr and ends with 2, with help on stdout and 0', async () => {
    const none = await slipway({}, []);
    expect([none.exit, none.stdout]).toEqual([2, '']);
    const asked = await slipway({}, ['help']);
    expect([asked.exit, asked.stdout, asked.stderr]).toEqual([0, none.stderr, '']);
    for (const argv of [
      ['help', 'secrets', 'set'],
      ['secrets', 'set', '--help'],
      ['secrets', 'set', '-h'],
    ])
      expect((await slipway({}, argv)).stdout).toMatch(/^Set secrets.*\n\nUsage: slipway secrets set /);
    expect(await slipway({}, ['help', 'lst'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("'list'"),
    });
  });

  it('says with --json in JSON what is wrong', async () => {
    const { exit, stdout, stderr } = await slipway({}, ['lits', '--json']);
    expect([exit, stderr]).toEqual([2, '']);
    expect(JSON.parse(stdout)).toEqual({
      error: "There is no command 'lits'. Did you mean 'list'?",
      exit: 2,
    });
  });
});

it('says its version', async () => {
  expect(await slipway({ version: '1.2.3' }, ['--version'])).toMatchObject({
    exit: 0,
    stdout: 'slipway 1.2.3\n',
  });
});

describe('the table of commands', () => {
  it.each(commands.map((row) => [row.name, row] as const))(
    '%s has examples that its own row understands',
    (_, row) => {
      expect(row.examples.length).toBeGreaterThan(0);
      for (const example of row.examples) {
        const words = execFileSync('bash', ['-c', wordsIn(example)], { encoding: 'utf8' }).split('\0');
        expect(understand(commands, words.slice(0, -1))).toMatchObject({
          kind: 'run',
          command: { name: row.name },
        });
      }
    },
  );

  it.each(commands.map((row) => [row.name, row] as const))(
    'help of %s has lines of at most 120 characters',
    (_, row) => {
      for (const line of helpOf(row).split('\n')) expect(line.length).toBeLessThanOrEqual(120);
    },
  );

  it('has no flag twice for one letter', () => {
    for (const { name, flags } of commands) {
      const letters = Object.values(flags).flatMap(({ short }) => (short === undefined ? [] : [short]));
      expect([name, new Set([...letters, 'h']).size]).toEqual([name, letters.length + 1]);
    }
  });
});

/** A shell that prints the words after `slipway` instead of running it. */
const wordsIn = (example: string): string => {
  const line = example
    .slice(example.indexOf('slipway '))
    .replace(/ > .*$/, '')
    .replace(/\)(?:"?\/ok"?)?$/, '');
  return `slipway() { printf '%s\\0' "$@"; }; ${line}`;
};

describe('completion', () => {
  const complete = (...typed: string[]) => {
    const words = typed.map((word) => `'${word}'`).join(' ');
    const script = `${completionOf('bash', commands)}\nCOMP_WORDS=(${words}); COMP_CWORD=${typed.length - 1}; _slipway; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
  };

  it('of bash knows commands, their second words, flags and the values of flags', () => {
    expect(complete('slipway', 'de')).toEqual(['deploy', 'delete']);
    expect(complete('slipway', 'secrets', '')).toEqual(['list', 'set', 'unset']);
    expect(complete('slipway', 'deploy', '--na')).toEqual(['--name']);
    expect(complete('slipway', 'secrets', 'set', '--env')).toEqual(['--env-file']);
    expect(complete('slipway', 'logs', '--level', 'W')).toEqual(['WARNING']);
    expect(complete('slipway', 'list', '--json', '--st')).toEqual(['--status']);
  });

  it('of zsh loads that of bash, and that of fish has a line for each flag', () => {
    expect(completionOf('zsh', commands)).toContain(completionOf('bash', commands));
    expect(completionOf('fish', table).split('\n')).toContain(
      "complete -c slipway -n '__fish_seen_subcommand_from secrets; and __fish_seen_subcommand_from set' -l level -x -a 'LOW HIGH' -d 'how much'",
    );
  });
});

describe('what is printed', () => {
  const outputOn = (isTerminal: boolean, environment: Record<string, string> = {}) => {
    let [stdout, stderr] = ['', ''];
    const output = new Output(
      {
        environment,
        stdout: { isTerminal, write: (text) => (stdout += text) },
        stderr: { isTerminal, write: (text) => (stderr += text) },
      },
      {},
    );
    return { output, printed: () => ({ stdout, stderr }) };
  };

  it('has colours and a line that is written over on a terminal, neither with NO_COLOR, CI or elsewhere', () => {
    const seen = (isTerminal: boolean, environment = {}) => {
      const { output, printed } = outputOn(isTerminal, environment);
      output.progress('waiting');
      output.say('done', 'green');
      return printed().stderr;
    };
    expect(seen(false)).toBe('done\n');
    expect(seen(true)).toBe(
      '\u001b[2mwaiting\u001b[0m\r\u001b[2K\u001b[32mdone\u001b[0m\n\u001b[2mwaiting\u001b[0m',
    );
    expect(seen(true, { NO_COLOR: '1' })).toBe('waiting\r\u001b[2Kdone\nwaiting');
    expect(seen(true, { CI: 'true' })).toBe('\u001b[32mdone\u001b[0m\n');
  });

  it('never makes a terminal do what somebody else has written', () => {
    expect(plain('a\u001b]0;title\u0007b\u001b[2Jc\u0007\nd\u202e')).toBe('abc d\\u202e');
    for (const isTerminal of [true, false]) {
      const { output, printed } = outputOn(isTerminal);
      output.logLine({}, 'x\u001b[31mred\u001b[2J\u0008\u001b]0;t\u0007');
      expect(printed().stdout).toBe(isTerminal ? 'x\u001b[31mred\u001b[0m\n' : 'xred\n');
    }
    const { output, printed } = outputOn(true);
    output.progress('a\u001b]0;t\u0007b');
    expect(printed().stderr).toBe('\u001b[2mab\u001b[0m');
  });

  it('is JSON that a terminal shows as it is', () => {
    let stdout = '';
    const write = (text: string) => void (stdout += text);
    const at = { environment: {}, stdout: { isTerminal: true, write }, stderr: { isTerminal: true, write } };
    new Output(at, { json: true }).result({ a: '\u001b\u009b2J\u007fé' }, []);
    expect(stdout).toBe('{"a":"\\u001b\\u009b2J\\u007fé"}\n');
  });
});

it('the bundle for users has no part of AWS, no schema, and at most 102 kB', async () => {
  const { text, sources } = await bundleCli();
  const isOurs =
    /^(?:bin\/cli\.ts|lib\/(?:cli\/(?:shell|commands)|client|contract)\/[\w-]+\.ts|lib\/(?:tar|shown-text)\.ts)$/;
  expect(sources.filter((source) => !isOurs.test(source))).toEqual([]);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(102_000);
  const printed = execFileSync(process.execPath, ['--input-type=module', '-', 'help'], {
    input: text,
    encoding: 'utf8',
  });
  expect(printed).toMatch(/^Usage: slipway <command>/);
});
