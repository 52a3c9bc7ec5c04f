import { describe, expect, it } from 'vitest';
import { askedBriefly } from '../../../lib/adapters/brief-repositories.ts';
import { SourceError } from '../../../lib/adapters/git.ts';
import type { Repositories } from '../../../lib/adapters/repositories.ts';

const URL = 'https://git.example/a/b';
const credentials = (token: string) => ({ host: 'git.example', token, submodules: false });
const asked = { ref: 'main', since: undefined, limit: 20 };

/** What is asked of a host with so many branches, at a time that the test moves. */
function aHost({ branches = 1, refusal }: { branches?: number; refusal?: string } = {}) {
  const questions: string[] = [];
  let now = 0;
  const host: Repositories = {
    async branches() {
      questions.push('branches');
      if (refusal !== undefined) throw new SourceError(refusal);
      const names = Array.from({ length: branches }, (_, at): [string, string] => [`b${at}`, 'c']);
      return { defaultBranch: 'b0', commits: new Map(names) };
    },
    async history(_, { ref }) {
      questions.push(`history of ${ref}`);
      return {
        head: { sha: ref, message: '', author: '', at: '' },
        commits: [],
        more: false,
        relation: undefined,
      };
    },
    async files() {
      questions.push('files');
      return undefined;
    },
  };
  const repositories = askedBriefly(host, () => now);
  return { repositories, questions, later: (milliseconds: number) => (now += milliseconds) };
}

describe('a host that is asked the same by several', () => {
  it('answers once within ten seconds, also while the first answer is on its way', async () => {
    const { repositories, questions, later } = aHost();
    const both = [repositories.history(URL, asked), repositories.history(URL, asked)];
    const [one, other] = await Promise.all(both);
    expect(one).toBe(other);
    await repositories.branches(URL);
    await repositories.branches(URL);
    expect(questions).toEqual(['history of main', 'branches']);
    later(10_000);
    await repositories.history(URL, asked);
    expect(questions).toHaveLength(3);
  });

  it('is asked anew with another token, and of another commit', async () => {
    const { repositories, questions } = aHost();
    await repositories.history(URL, asked, credentials('one'));
    await repositories.history(URL, asked, credentials('two'));
    await repositories.history(URL, asked);
    await repositories.history(URL, { ...asked, ref: 'next' });
    await repositories.history(URL, { ...asked, since: 'c' });
    await repositories.history(`${URL}/c`, asked);
    expect(questions).toHaveLength(6);
  });

  it('is not asked again at once for what it has refused', async () => {
    const { repositories, questions } = aHost({ refusal: 'it is private' });
    await expect(repositories.branches(URL)).rejects.toThrow('it is private');
    await expect(repositories.branches(URL)).rejects.toThrow('it is private');
    expect(questions).toEqual(['branches']);
  });

  it('is asked each time for files, and for more branches than are kept', async () => {
    const { repositories, questions } = aHost({ branches: 2_001 });
    for (let time = 0; time < 2; time += 1) {
      await repositories.branches(URL);
      await repositories.files(URL, { ref: 'main', pick: () => [] });
    }
    expect(questions).toEqual(['branches', 'files', 'branches', 'files']);
  });
});
