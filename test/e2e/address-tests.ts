import { describe, expect, it } from 'vitest';
import { gitRepository } from '../support/files/git-repository.ts';
import { sendLines } from '../support/http/raw-request.ts';
import { helloFiles } from '../support/programs/hello-server.ts';
import {
  create,
  deployed,
  deploymentOf,
  type Program,
  patch,
  type ShownDeployment,
} from '../support/programs/program.ts';
import { until } from '../support/until.ts';

/** The status at an address, as a browser of this machine asks: it knows `.localhost` names by itself. */
async function statusAt(address: string): Promise<string> {
  const { host, port, pathname } = new URL(address);
  return (await sendLines(Number(port), [`GET ${pathname} HTTP/1.1`, `Host: ${host}`, '', ''])).slice(9, 12);
}

export function addressTests(program: () => Program): void {
  describe('the address that a deployment shows', () => {
    it('answers, also once it has a host of its own, without a revision', async () => {
      const repository = await gitRepository(await helloFiles());
      const made = await deployed(program(), await create(program(), 'addressed', repository.url));
      const reported = made.source_config.custom_url ?? '';
      expect(made.url).toBe(reported);
      expect(await statusAt(reported)).toBe('200');
      const own = `http://mine.localhost:${new URL(reported).port}`;
      const change = { source_config: { custom_url: own } };
      const changed: ShownDeployment = await patch(program(), made.id, change);
      expect(changed).toMatchObject({ ...change, latest_revision_id: made.latest_revision_id });
      await until(async () => (await statusAt(`${own}/ok`)) === '200', { what: 'an answer at the host' });
      expect(await statusAt(`${reported}/ok`)).toBe('200');
      const shown = { url: reported, source_config: { custom_url: own } };
      expect(await deploymentOf(program(), made.id)).toMatchObject(shown);
      // What was read before is sent back.
      const back = { source_config: { custom_url: reported } };
      expect(await patch(program(), made.id, back)).toMatchObject(shown);
    });
  });
}
