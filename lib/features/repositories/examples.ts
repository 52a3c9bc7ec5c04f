import { CREATED, REPOSITORY_URL, REVISION } from '../../contract/example-values.ts';

const HEAD = '9f2c1a7be04d5c6f83a1b0e7d94c25f6a8013e5d';
const SERVING = '3c1b9f70a2d4e6885b7c0f1e2d3a4b5c6d7e8f90';
const PAGE = 'https://git.example/team/support-agent';

const head = { sha: HEAD, message: 'Answer in the language of the question', author: 'Ada', at: CREATED };

export const repositoryExamples = {
  listBranches: {
    response: {
      default_branch: 'main',
      resources: [
        { name: 'main', commit: HEAD },
        { name: 'feature/refunds', commit: SERVING },
      ],
      more: false,
      problem: null,
    },
  },
  lookAtRepository: {
    response: {
      ref: 'main',
      commit: head,
      found: {
        kind: 'agent',
        says: 'an agent in Python with 1 graph',
        file: 'langgraph.json',
        language: 'python',
        version: '3.12',
        graphs: [{ id: 'agent', path: './agent.py' }],
        config_path: 'langgraph.json',
        start: null,
      },
      problem: null,
      secrets_asked: [{ name: 'OPENAI_API_KEY', from: '.env.example' }],
      folders: ['services/web'],
      files: ['.env.example', 'agent.py', 'langgraph.json', 'pyproject.toml'],
    },
  },
  getSource: {
    response: {
      repo_url: REPOSITORY_URL,
      ref: 'main',
      branch: 'main',
      head,
      serving: { revision_id: REVISION, number: 1, sha: SERVING },
      latest: { revision_id: REVISION, number: 1, sha: SERVING, status: 'DEPLOYED' },
      commits: [head],
      more: false,
      relation: 'behind',
      commit_url: `${PAGE}/commit/{sha}`,
      branch_url: `${PAGE}/src/branch/main`,
      compare_template: `${PAGE}/compare/{from}...{to}`,
      compare_url: `${PAGE}/compare/${SERVING}...${HEAD}`,
      problem: null,
    },
  },
};
