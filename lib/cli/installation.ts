import { Obstacle } from './explain.ts';
import type { InstallationCommand } from './installation-options.ts';
import type { CommandResult, World } from './main.ts';

/** What an account holds of an installation, and what it offers for one. */
export type Installations = {
  /** The settings that the next deploy begins from. Throws when they cannot be read. */
  settings(
    at: InstallationCommand['at'],
  ): Promise<{ shown: Record<string, string>; from: string } | undefined>;
  /** What a deploy needs of the account, as lines of a table; `lacking` is what would end it. */
  preflight(at: InstallationCommand['at'], compute: 'fargate' | undefined): Promise<Preflight>;
};
export type Preflight = { table: string[]; lacking: string[] };

/** Runs a command about an installation as a whole, which may not be deployed yet. */
export async function onInstallation(
  command: InstallationCommand,
  world: World,
): Promise<CommandResult | undefined> {
  return command.kind === 'settings' ? settings(command, world) : preflight(command, world);
}

async function settings({ at }: InstallationCommand, { installations }: World): Promise<CommandResult> {
  const found = await installations.settings(at);
  if (found === undefined)
    throw new Obstacle(
      `There is no installation '${at.environment}' in this account and region. Name another one with --environment or --region.`,
    );
  const { shown, from } = found;
  const lines = Object.entries(shown).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    lines: lines.length === 0 ? [['Settings', 'all at their defaults']] : lines,
    json: shown,
    advice: `${from} The rest is at its default (docs/configuration.md). npm run cdk -- deploy --all -c name=value changes one, -c name=none takes one back.`,
  };
}

async function preflight(
  { at, compute }: InstallationCommand,
  { installations, write }: World,
): Promise<undefined> {
  const { table, lacking } = await installations.preflight(at, compute);
  for (const line of table) write(line);
  if (lacking.length > 0) throw new Obstacle(`A deploy would end here: ${lacking.join('; ')}.`);
}
