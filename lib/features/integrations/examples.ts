import { CREATED, DEPLOYMENT, page, REPOSITORY_URL } from '../../contract/example-values.ts';

const USER = '2b3c4d5e-6f70-4182-9394-a5b6c7d8e9f0';

const integration = {
  id: '01a1fdd3-4e5f-7061-8c7d-8e9f0a1b2c3d',
  type: 'github',
  name: 'the support team’s repositories',
  host: 'github.com',
  has_webhook_secret: true,
  submodules: false,
  created_at: CREATED,
  created_by: USER,
};

export const integrationExamples = {
  createIntegration: {
    body: {
      type: 'github',
      name: integration.name,
      token: 'github_pat_shown-to-nobody',
      webhook_secret: 'known-to-the-host-too',
    },
    response: integration,
  },
  changeIntegration: { body: { webhook_secret: 'known-to-the-host-too' }, response: integration },
  listIntegrations: page(integration),
  testIntegration: {
    response: {
      token: {
        ok: true,
        says: 'github.com takes the token.',
        scopes: ['repo'],
        missing: [],
        user: 'ada',
        expires_at: CREATED,
      },
      repositories: { ok: true, says: 'It sees repositories, example/support-agent among them.' },
      statuses: { ok: true, says: 'Commits show what became of them.' },
      webhook: {
        ok: true,
        says: 'Deliveries come, and their signatures hold.',
        url: `https://slipway.example/v1/integrations/github/${integration.id}/webhook`,
        last_delivery_at: CREATED,
        last_event: 'push',
      },
      deployments: [{ id: DEPLOYMENT, name: 'support-agent', repo_url: REPOSITORY_URL, build_on_push: true }],
    },
  },
  listInstalledIntegrations: {
    response: [
      {
        id: integration.id,
        name: integration.name,
        host: integration.host,
        installation_id: integration.id,
      },
    ],
  },
  listRepositories: {
    response: [
      {
        host_integration_id: integration.id,
        id: 1296269,
        name: 'support-agent',
        owner: 'example',
        url: 'https://github.com/example/support-agent.git',
        default_branch: 'main',
      },
    ],
  },
};
