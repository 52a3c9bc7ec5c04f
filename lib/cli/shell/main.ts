import { Refusal } from '../../client/refusal.ts';
import { type Command, type Understood, understand } from './command.ts';
import { Ended, type Exit, exits, UsageError } from './ends.ts';
import { helpOf, helpOfAll } from './help.ts';
import { Output } from './output.ts';
import { Shell } from './shell.ts';
import type { World } from './world.ts';

/** Whether a command line is for this table: it names one of its commands, or asks for help with them. */
export const isNamedIn = (table: readonly Command[], [first = '']: readonly string[]): boolean =>
  first === 'help' || table.some(({ name }) => name.split(' ')[0] === first);

/** Runs one command line, and gives the exit code. */
export async function runCommandLine(
  table: readonly Command[],
  argv: readonly string[],
  world: World,
): Promise<Exit> {
  if (argv[0] === '--version' || argv[0] === '-V') {
    world.stdout.write(`slipway ${world.version}\n`);
    return exits.done;
  }
  let understood: Understood;
  try {
    understood = understand(table, argv);
  } catch (error) {
    return failed(error, new Output(world, { json: argv.includes('--json') }), world);
  }
  if (understood.kind === 'help') {
    const text = understood.command === undefined ? helpOfAll(table) : helpOf(understood.command);
    world[understood.isAsked ? 'stdout' : 'stderr'].write(`${text}\n`);
    return understood.isAsked ? exits.done : exits.usage;
  }
  const shell = new Shell(world, understood.everywhere);
  try {
    await understood.command.run(shell, understood.given, understood.args);
    shell.output.progress('');
    return exits.done;
  } catch (error) {
    return failed(error, shell.output, world, shell);
  }
}

function failed(error: unknown, output: Output, world: World, shell?: Shell): Exit {
  if (error instanceof UsageError) return told(output, error.message, exits.usage);
  if (error instanceof Ended) return told(output, error.message, error.exit, error.more);
  if (error instanceof Refusal) {
    const { code, status, fields, requestId } = error;
    const more = { code, status, ...(fields.length > 0 && { fields }), request_id: requestId };
    return told(output, explained(error, shell), exits.refused, more);
  }
  if (world.signal.aborted) return told(output, 'Ended before it was done.', exits.interrupted);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return told(output, text, exits.refused);
}

function told(output: Output, message: string, exit: Exit, more: object = {}): Exit {
  output.failure(message, { ...more, exit });
  return exit;
}

const UNAUTHENTICATED = 401;
const SERVER_FAULT = 500;

function explained(refusal: Refusal, shell: Shell | undefined): string {
  const { status, requestId } = refusal;
  // What pydantic puts before the words of a problem.
  const detail = refusal.detail.replaceAll(': Value error, ', ': ');
  if (status === UNAUTHENTICATED && shell?.source !== undefined) return `${detail} (from ${shell.source})`;
  return status >= SERVER_FAULT && requestId !== null ? `${detail} (request ${requestId})` : detail;
}
