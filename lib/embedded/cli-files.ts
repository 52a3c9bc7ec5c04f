import type { CliFiles } from '../adapters/cli-files.ts';
import { cliFilesOf, makeCliDistribution } from '../cli-bundle/distribution.ts';
import { once } from '../contract/once.ts';

/** The command line, made in memory when it is first asked for: a tenth of a second, and no built file to keep. */
export const bundledCli = (): CliFiles => cliFilesOf(once(makeCliDistribution));
