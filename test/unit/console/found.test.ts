import { describe, expect, it } from 'vitest';
import {
  askedText,
  commitText,
  folderText,
  foundTitle,
  graphsText,
  hostIn,
  languageText,
} from '../../../console/logic/found.ts';

const graphs = (...ids: string[]) => ({ graphs: ids.map((id) => ({ id, path: 'x' })) });

describe('what was found in a repository', () => {
  it('is said in words', () => {
    expect(foundTitle({ says: 'a FastAPI app' })).toBe('A FastAPI app was found');
    expect(
      [graphs(), graphs('a'), graphs('a', 'b', 'c'), graphs('a', 'b', 'c', 'd', 'e')].map(graphsText),
    ).toEqual([null, '1 graph, a', '3 graphs, a, b and c', '5 graphs, a, b, c and 2 more']);
    expect(languageText({ language: 'python', version: '3.12' })).toBe('Python 3.12');
    expect(languageText({ language: 'javascript', version: null })).toBe('JavaScript');
    expect(languageText({ language: 'other', version: null })).toBeNull();
    expect([folderText({ file: 'langgraph.json' }), folderText({ file: 'a/b/main.py' })]).toEqual([
      'in the top folder',
      'in a/b',
    ]);
  });

  it('names the secrets that are asked for, and how many are missing', () => {
    expect(
      [
        [0, 0],
        [1, 1],
        [1, 0],
        [3, 1],
        [3, 2],
        [2, 2],
        [2, 0],
      ].map(([asked = 0, missing = 0]) => askedText(asked, missing)),
    ).toEqual([
      null,
      'Asks for 1 secret, it is missing',
      'Asks for 1 secret, it is there',
      'Asks for 3 secrets, 1 is missing',
      'Asks for 3 secrets, 2 are missing',
      'Asks for 2 secrets, all are missing',
      'Asks for 2 secrets, all are there',
    ]);
  });

  it('says whose commit it is, as far as the host tells', () => {
    const commit = { sha: '2c91e0738f0a', message: 'Add receipts', author: 'Lena', at: null };
    expect(commitText(commit)).toBe('“Add receipts”, Lena');
    expect(commitText({ ...commit, message: null, author: null })).toBe('2c91e0738f');
  });

  it('is read from the host that the address names', () => {
    expect(
      [
        'https://Git.example:8443/a',
        'git@github.com:a/b',
        'ssh://git@a.example/b',
        'file:///x',
        'https:/',
        '',
      ].map(hostIn),
    ).toEqual(['git.example:8443', 'github.com', 'a.example', undefined, undefined, undefined]);
  });
});
