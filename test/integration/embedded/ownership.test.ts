import { expect, it, onTestFinished } from 'vitest';
import { OwnedByAnother, type Ownership, takeOwnership } from '../../../lib/embedded/runtime/ownership.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { freshTable } from '../../support/table/dynoxide.ts';
import { until } from '../../support/until.ts';

const LEASE_MILLISECONDS = 30_000;

type Runtime = { dataFolder: string; offset?: number; renewSeconds?: number };

/** Takes tables for runtimes that differ in their data folder and their clock. */
async function taking() {
  const table = await freshTable();
  const said: string[] = [];
  const take = async ({ dataFolder, offset = 0, renewSeconds }: Runtime): Promise<Ownership> => {
    const now = () => Date.now() + offset;
    const onError = (message: string) => void said.push(message);
    const ownership = await takeOwnership({
      table,
      dataFolder,
      now,
      onError,
      ...(renewSeconds && { renewSeconds }),
    });
    onTestFinished(() => ownership.close());
    return ownership;
  };
  return { take, said };
}

it('refuses a second runtime on a table, and says whose it is', async () => {
  const { take } = await taking();
  const first = await take({ dataFolder: await temporaryFolder() });
  const second = take({ dataFolder: await temporaryFolder() });
  await expect(second).rejects.toThrow(OwnedByAnother);
  await expect(second).rejects.toThrow(first.id);
});

it('gives the table back at once to the folder that had it, and to another when the lease is over', async () => {
  const { take } = await taking();
  const folder = await temporaryFolder();
  const { id } = await take({ dataFolder: folder });
  expect(await take({ dataFolder: folder })).toMatchObject({ id });
  const other = await take({ dataFolder: await temporaryFolder(), offset: LEASE_MILLISECONDS + 1_000 });
  expect(other.holds()).toBe(true);
});

it('holds nothing once another has taken over, and says so', async () => {
  const { take, said } = await taking();
  const first = await take({ dataFolder: await temporaryFolder(), renewSeconds: 0.2 });
  await take({ dataFolder: await temporaryFolder(), offset: LEASE_MILLISECONDS });
  await until(() => !first.holds() && said.length > 0, { what: 'the lost lease' });
  expect(said[0]).toMatch(/nothing is moved forward here: another Slipway/);
});
