import { openAccount } from '../account.ts';
import { readInstalled } from '../remembered/installed.ts';
import { settingsOf } from '../settings.ts';
import { tableOf } from './check.ts';
import { preflight } from './preflight.ts';

type Where = { environment: string; region: string | undefined };

/**
 * What the account has of what a deploy needs, with the settings that the installation remembers (and this
 * compute). Nothing is made.
 */
export async function shownPreflight(
  { environment, region }: Where,
  compute: 'fargate' | undefined,
): Promise<{ table: string[]; lacking: string[] }> {
  const account = await openAccount(region);
  const { given } = await readInstalled(account, environment);
  const settings = settingsOf(environment, { ...given, ...(compute !== undefined && { compute }) });
  const checks = await preflight(account, settings, false);
  return {
    table: tableOf(checks),
    lacking: checks.filter(({ state }) => state === 'lack').map(({ what }) => what),
  };
}
