import { openAccount } from '../account.ts';
import { readInstalled } from './installed.ts';

type Where = { environment: string; region: string | undefined };

/** The settings of an installation, and how they are known; undefined: there is no such installation. */
export async function shownSettings({
  environment,
  region,
}: Where): Promise<{ shown: Record<string, string>; from: string } | undefined> {
  const { kind, given } = await readInstalled(await openAccount(region), environment);
  if (kind === 'absent') return undefined;
  const from =
    kind === 'remembered'
      ? 'The next deploy begins from these.'
      : 'These were read from the stacks: they were deployed by a release that remembers none. The next deploy begins from them, and remembers them.';
  return { shown: { ...given }, from };
}
