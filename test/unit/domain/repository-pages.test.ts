import { describe, expect, it } from 'vitest';
import { repositoryPages } from '../../../lib/domain/repository-pages.ts';

describe('the pages of a repository on its host', () => {
  it.each([
    ['https://github.com/Team/App.git', 'https://github.com/Team/App', 'compare/{from}...{to}'],
    ['git@github.com:Team/App.git', 'https://github.com/Team/App', 'compare/{from}...{to}'],
    ['ssh://git@gitlab.com:22/a/b/c', 'https://gitlab.com/a/b/c', '-/compare/{from}...{to}'],
    ['https://codeberg.org/a/b/', 'https://codeberg.org/a/b', 'compare/{from}...{to}'],
    ['https://bitbucket.org/a/b', 'https://bitbucket.org/a/b', 'branches/compare/{to}%0D{from}'],
  ])('are known of %s', (url, base, compare) => {
    expect(repositoryPages(url)).toMatchObject({
      compare: `${base}/${compare}`,
      commit: expect.stringContaining(`${base}/`),
    });
  });

  it('are known of a host of one’s own by its integration', () => {
    const known = { host: 'git.example:8443', type: 'gitea' } as const;
    expect(repositoryPages('https://git.example:8443/a/b.git', known)).toEqual({
      commit: 'https://git.example:8443/a/b/commit/{sha}',
      branch: 'https://git.example:8443/a/b/src/branch/{branch}',
      compare: 'https://git.example:8443/a/b/compare/{from}...{to}',
    });
    expect(repositoryPages('https://other.example/a/b.git', known)).toBeUndefined();
  });

  it.each([
    'file:///srv/app.git',
    'https://git.example/a/b',
    'https://github.com/',
    'no address',
    'https://constructor/a',
  ])('are not known of %s', (url) => {
    expect(repositoryPages(url)).toBeUndefined();
  });
});
