import { describe, expect, it } from 'vitest';
import {
  commandProblem,
  configPathProblem,
  customUrlProblem,
  imageProblem,
  repoRefProblem,
  repoUrlProblem,
} from '../../../lib/contract/text.ts';

const NAME_255 = `${'a'.repeat(127)}/${'b'.repeat(127)}`;

type Rule = { rule: (text: string) => string | undefined; good: string[]; bad: string[] };

const rules: Record<string, Rule> = {
  repo_url: {
    rule: repoUrlProblem,
    good: [
      'https://github.com/o/r',
      'https://git.example.com:8443/o/r.git',
      'ssh://git@example.com/o/r.git',
      'ssh://example.com:2222/o/r',
      'git@github.com:o/r.git',
      'file:///srv/git/r.git',
    ],
    bad: [
      '',
      'github.com/o/r',
      'http://github.com/o/r',
      'git://github.com/o/r',
      'ext::sh -c id',
      'https://user:pass@github.com/o/r',
      'https://token@github.com/o/r',
      'ssh://git:pass@example.com/o/r',
      'ssh://-oProxyCommand=id/o/r',
      'ssh://-x@example.com/o/r',
      '-x@example.com:o/r',
      'git@-example.com:o/r',
      'git@example.com:-o',
      'https://github.com/o/r\n--upload-pack=id',
      'https://git hub.com/o/r',
      'file://host/srv/r.git',
    ],
  },
  repo_ref: {
    rule: repoRefProblem,
    good: ['main', 'feature/x', 'refs/tags/v1.0', 'a'.repeat(40), 'v1.0-rc.1', 'ünï', 'a@b'],
    bad: [
      '',
      '-x',
      '--upload-pack=id',
      'a..b',
      'a b',
      'a~1',
      'a^',
      'a:b',
      'a?',
      'a*',
      'a[b',
      'a\\b',
      'a\nb',
      '/a',
      'a/',
      'a//b',
      'a.',
      '.a',
      'a/.b',
      'a.lock',
      'a.lock/b',
      'a@{1}',
      '@',
      'a\u007f',
    ],
  },
  graph_config_path: {
    rule: configPathProblem,
    good: [
      'langgraph.json',
      'apps/agent/langgraph.json',
      './langgraph.json',
      'a..b/c.json',
      'with space.json',
    ],
    bad: ['', '/etc/passwd', '../x', 'a/../../x', 'a/..', '..', 'a\\b', 'a\0b', 'a\nb', '~/x'],
  },
  image_uri: {
    rule: imageProblem,
    good: [
      'nginx',
      'nginx:1.27',
      'library/nginx',
      'registry.example.com:5000/team/app:tag',
      'localhost/app',
      '[::1]:5000/app',
      `app@sha256:${'a'.repeat(64)}`,
      `app:tag@sha256:${'0'.repeat(64)}`,
      'a__b/c-d.e',
      NAME_255,
    ],
    bad: [
      '',
      'App',
      'app:',
      'app@sha256:abc',
      `app@md5:${'a'.repeat(32)}`,
      '-app',
      'a//b',
      'app: tag',
      'a___b',
      'https://example.com/app',
      `app:${'t'.repeat(129)}`,
      `${NAME_255}c`,
      'app\n',
    ],
  },
  command: {
    rule: commandProblem,
    good: ['', 'npm ci', 'npm ci && npm run build', "sh -c 'x'", 'a && b && c'],
    bad: [
      'a;b',
      'a|b',
      'a&b',
      'a &',
      'a &&& b',
      '`id`',
      '$HOME',
      'a>b',
      'a<b',
      '"a"',
      'a\\b',
      'a\nb',
      'a\rb',
      'a\tb',
      'a\0b',
    ],
  },
  custom_url: {
    rule: customUrlProblem,
    good: ['', 'https://agent.example.com', 'http://localhost:4401/d/x'],
    bad: [
      'agent.example.com',
      'ftp://x',
      'javascript:alert(1)',
      'https://u:p@example.com',
      'https://a b',
      'https://',
    ],
  },
};

describe.each(Object.entries(rules))('%s', (_, { rule, good, bad }) => {
  it.each(good)('accepts %j', (text) => {
    expect(rule(text)).toBeUndefined();
  });
  it.each(bad)('refuses %j', (text) => {
    expect(rule(text)).toEqual(expect.any(String));
  });
});
