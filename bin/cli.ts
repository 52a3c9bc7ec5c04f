#!/usr/bin/env node
import { commands } from '../lib/cli/commands/table.ts';
import { thisMachine } from '../lib/cli/shell/machine.ts';
import { runCommandLine } from '../lib/cli/shell/main.ts';
import { RELEASE_VERSION } from '../lib/contract/version.ts';

process.exitCode = await runCommandLine(commands, process.argv.slice(2), thisMachine(RELEASE_VERSION));
