import { describe, expect, it } from 'vitest';
import { imagePlace } from '../../../lib/builds/codebuild/planned.ts';
import { isNodeInRange } from '../../../lib/builds/node-version.ts';
import { type BuildHost, findProject, planProject } from '../../../lib/builds/plan-project.ts';
import { temporaryFolder } from '../../support/files/temporary-folder.ts';
import { type Files, writeFiles } from '../../support/files/write-files.ts';

const machine: BuildHost = {
  tools: new Set(['npm', 'npx']),
  nodeMajor: '24',
  nodeMajors: ['24'],
  python: async ({ version = '3.12' }) => ({ version, executable: `/opt/python${version}/bin/python` }),
};

async function planOf(files: Files, host: BuildHost) {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'index.js': '', 'package.json': '{}', ...files });
  const request = await findProject(folder, { configPath: 'langgraph.json' }, { mayQuote: false });
  const { node, notes } = await planProject(request, host);
  return { node, warnings: notes.filter(({ level }) => level === 'WARNING').map(({ text }) => text) };
}

const engines = (node: unknown) => ({ 'package.json': JSON.stringify({ engines: { node } }) });

describe('the Node.js that a server asks for', () => {
  it.each([
    ['in .nvmrc', { '.nvmrc': 'v20.11.1\n', '.node-version': '22' }, '20'],
    ['in .nvmrc by a name', { '.nvmrc': 'lts/Jod' }, '22'],
    ['in .node-version', { '.node-version': '\ufeff22.1.0', ...engines('18') }, '22'],
    ['in package.json', engines('20.x'), '20'],
    ['in package.json, where the usual one will do', engines('>=18'), '24'],
    ['by a name that says nothing', { '.nvmrc': 'lts/*' }, '24'],
    ['by what is none', engines({ a: 1 }), '24'],
    ['nowhere', {}, '24'],
  ])('%s is that of its image', async (_, files, node) => {
    expect(await planOf(files, imagePlace)).toEqual({ node, warnings: [] });
  });

  it.each([
    ['.nvmrc', { '.nvmrc': 'v20.11.1\n' }, machine, '.nvmrc asks for Node.js v20.11.1'],
    ['package.json', engines('<23'), machine, 'engines of package.json asks for Node.js <23'],
    ['an old one', engines('^0.12'), imagePlace, 'engines of package.json asks for Node.js ^0.12'],
    [
      'a server in Python',
      { ...engines('20'), 'requirements.txt': '', Procfile: 'web: python a.py' },
      imagePlace,
      'engines of package.json asks for Node.js 20',
    ],
  ])('is warned of where it is not to be had: %s', async (_, files, host, asks) => {
    const warning = `${asks}, which is not to be had here; it is built and started with Node.js 24`;
    expect(await planOf(files, host)).toEqual({ node: '24', warnings: [warning] });
  });

  it.each([
    ['>=18.17', ['18', '20', '22', '24']],
    ['>=18.17 <22', ['18', '20']],
    ['>= 18.17, < 22.1', ['18', '20', '22']],
    ['>20', ['22', '24']],
    ['>20.1', ['20', '22', '24']],
    ['<=20', ['18', '20']],
    ['^20.1.0 || ~22.3', ['20', '22']],
    ['18 - 20', ['18', '20']],
    ['v22', ['22']],
    ['=22.x', ['22']],
    ['*', ['18', '20', '22', '24']],
    ['', ['18', '20', '22', '24']],
  ])('may be any in %j', (range, majors) => {
    expect(['18', '20', '22', '24'].filter((major) => isNodeInRange(Number(major), range))).toEqual(majors);
  });
});
