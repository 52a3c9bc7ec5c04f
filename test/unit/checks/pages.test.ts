import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const exists = (file: string): boolean => existsSync(join(root, file));
const pages = globSync(['*.md', 'docs/**/*.md', 'examples/*/README.md', 'statemachines/*.md'], { cwd: root });

/** As GitHub makes them of headings. */
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

const withoutBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

describe.each(pages)('%s', (page) => {
  const text = withoutBlocks(read(page));

  it('links to pages and headings that exist', () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      return !exists(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(broken).toEqual([]);
  });

  it('names files and folders of the repository that exist', () => {
    const paths = [...text.matchAll(/`((?:bin|docs|examples|functions|lib|statemachines|test)\/[\w./-]+)`/g)];
    expect(
      paths.map(([, path = '']) => path).filter((path) => !exists(path) && !exists(`${path}.ts`)),
    ).toEqual([]);
  });
});

it('docs/README.md has a line for each page, in the order of their files', () => {
  const [, list = ''] = read('docs/README.md').split('\n## Pages\n');
  const linked = [...list.matchAll(/^\| \[[^\]]+\]\(([\w-]+\.md)\) \| .{10,} \|$/gm)].map(([, page]) => page);
  const own = globSync('*.md', { cwd: join(root, 'docs') }).filter((page) => page !== 'README.md');
  expect(linked).toEqual(own.toSorted());
});

it('no page, code or test refers to a document that is not in the repository', () => {
  const files = globSync(['{bin,functions,lib,test}/**/*.{ts,sh,py}', ...pages], { cwd: root });
  const names = new Set(
    globSync('**/*.md', { cwd: root, exclude: (name) => name === 'node_modules' }).map((file) =>
      file.split('/').at(-1),
    ),
  );
  const unknown = files.flatMap((file) =>
    [...read(file).matchAll(/[\w-]+\.md\b|\b(?:contract|design|specification) §[\d.]+/gi)]
      .map(([name]) => name)
      .filter((name) => !names.has(name))
      .map((name) => `${file}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

describe.each(pages.filter((page) => page.startsWith('docs/adr/')))('%s', (page) => {
  it('has the number of its title and the four sections of a decision', () => {
    const text = read(page);
    const [, number = '', title = ''] = /^# (\d+)\. (.+)$/m.exec(text) ?? [];
    const name = page.slice('docs/adr/'.length);
    expect(name.slice(0, 5)).toBe(`${number.padStart(4, '0')}-`);
    expect(title.split(' ').length).toBeGreaterThan(2);
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(['Status', 'Context', 'Decision', 'Consequences']);
  });
});
