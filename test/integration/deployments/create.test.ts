import { describe, expect, it } from 'vitest';
import {
  change,
  github,
  post,
  refusedWith,
  register,
  revisions,
  show,
} from '../../support/world/requests.ts';
import { allItems, aWorld, type World } from '../../support/world/world.ts';

async function withListener(): Promise<World> {
  const world = await aWorld();
  await register(world, 'machine');
  return world;
}

describe('a create', () => {
  it('of the documentation sample: nulls for what another kind needs', async () => {
    const world = await withListener();
    const { id, ...created } = await post(world, {
      name: 'my_deployment',
      source: 'github',
      source_config: {
        integration_id: null,
        repo_url: 'https://github.com/langchain-ai/langgraph-example',
        deployment_type: 'dev',
        build_on_push: false,
        custom_url: null,
        resource_spec: null,
      },
      source_revision_config: { repo_ref: 'main', langgraph_config_path: 'langgraph.json', image_uri: null },
      secrets: [{ name: 'MY_API_KEY', value: 'a-plain-value' }],
    });
    expect(created).toMatchObject({
      name: 'my_deployment',
      tenant_id: world.caller.tenantId,
      source: 'github',
      status: 'UNUSED',
      source_config: {
        integration_id: null,
        custom_url: null,
        resource_spec: null,
        deployment_type: 'dev',
      },
      source_revision_config: { image_uri: null, source_tarball_path: null, repo_commit_sha: null },
      secrets: [{ name: 'MY_API_KEY', value: '**********' }],
      secret_references: [],
      active_revision_id: null,
      image_version: null,
      is_managed_deep_agent: false,
      config_version: 1,
    });
    const [first] = (await revisions(world, id, { limit: '1' })).resources;
    expect(first).toMatchObject({ id: created.latest_revision_id, status: 'QUEUED', queue_position: 1 });
    expect(first?.status_history.map(({ status }) => status)).toEqual(['CREATING', 'QUEUED']);
    const patched = await change(world, id, {
      source_config: { build_on_push: true },
      source_revision_config: { repo_ref: 'develop' },
    });
    expect(patched.source_config.push_source).toBe('none');
    expect(patched.source_revision_config.repo_ref).toBe('develop');
  });

  it('takes an empty path of a tarball for none, whatever the source is', async () => {
    const world = await aWorld();
    await register(world, 'machine');
    const none = { source_tarball_path: '' };
    const git = github('a');
    const { id } = await post(world, {
      ...git,
      source_revision_config: { ...git.source_revision_config, ...none },
    });
    const { source_revision_config: shown } = await change(world, id, { source_revision_config: none });
    expect(shown.source_tarball_path).toBeNull();
    expect((await revisions(world, id)).resources).toHaveLength(1);
    const empty = { name: 'b', source: 'internal_source', source_config: {}, source_revision_config: none };
    expect((await post(world, empty)).source_revision_config.source_tarball_path).toBeNull();
  });

  it('infers the source from what is there', async () => {
    const world = await aWorld();
    await register(world, 'cluster', {
      compute_type: 'k8s',
      compute_config: { k8s_namespaces: ['one', 'two'] },
    });
    expect((await post(world, github('a'))).source).toBe('github');
    const image = { image_uri: 'registry.example.com/app:1' };
    const made = await post(world, { name: 'b', source_config: {}, source_revision_config: image });
    expect(made.source).toBe('external_docker');
    expect(made.source_config.listener_config).toEqual({ k8s_namespace: 'one' });
    expect(made.source_revision_config).toMatchObject({ ...image, repo_ref: null, graph_config_path: null });
  });

  it('fills in the ref and the path, and knows the path by both its names', async () => {
    const world = await withListener();
    const defaults = {
      repo_ref: 'main',
      graph_config_path: 'langgraph.json',
      langgraph_config_path: 'langgraph.json',
    };
    expect((await post(world, github('a'))).source_revision_config).toMatchObject(defaults);
    const path = 'apps/agent/langgraph.json';
    for (const [name, field] of [
      ['b', 'graph_config_path'],
      ['c', 'langgraph_config_path'],
    ] as const) {
      const made = await post(world, github(name, { source_revision_config: { [field]: path } }));
      expect(made.source_revision_config).toMatchObject({
        graph_config_path: path,
        langgraph_config_path: path,
      });
    }
  });

  it('with nothing to build yet has a first revision that is SKIPPED at once, with the reason', async () => {
    const world = await withListener();
    const { id } = await post(world, {
      name: 'a',
      source: 'internal_source',
      source_config: {},
      source_revision_config: {},
    });
    const [first] = (await revisions(world, id)).resources;
    expect(first).toMatchObject({ status: 'SKIPPED', queue_position: null });
    expect(first?.status_message).toMatch(/^Nothing to build yet: no source has been uploaded/);
    expect(first?.status_history.map(({ status }) => status)).toEqual(['CREATING', 'SKIPPED']);
    const items = await allItems(world.deps.table);
    expect(items.filter((item) => item.due_pk !== undefined)).toEqual([]);
  });

  it('keeps all that is free for the client, and ignores the rest', async () => {
    const world = await withListener();
    const resource_spec = { cpu: 1, memory_mb: 1024, labels: { a: { b: [1, null, 'x'] } } };
    const made = await post(world, {
      ...github('a', {
        source_config: {
          repo_url: 'https://example.com/repo.git',
          resource_spec,
          custom_url: 'https://a.example',
          deployment_type: 'dev_zero',
          listener_config: {},
        },
        tracked_packages: { langgraph: '1.0', nested: [{ deep: true }] },
        unknown: 1,
        status: 'READY',
      }),
    });
    expect(await show(world, made.id)).toEqual(made);
    expect(made).toMatchObject({
      status: 'UNUSED',
      source_config: { resource_spec, custom_url: 'https://a.example', deployment_type: 'dev_zero' },
      tracked_packages: { langgraph: '1.0', nested: [{ deep: true }] },
    });
  });
});

describe('a deployment of an agent', () => {
  const agent = { agent_id: 'Agent One!', environment: 'prod' };
  const anonymous = {
    agent,
    source_config: { repo_url: 'https://example.com/repo.git' },
    source_revision_config: {},
  };

  it('may leave the name to us', async () => {
    const world = await withListener();
    const made = await post(world, anonymous);
    expect(made).toMatchObject({ name: 'agent-one--prod', agent });
    const long = { ...anonymous, agent: { agent_id: `${'x'.repeat(62)}--y`, environment: '_' } };
    expect((await post(world, long)).name).toBe('x'.repeat(62));
  });

  it('is made once', async () => {
    const world = await withListener();
    await post(world, anonymous);
    const again = refusedWith(post(world, { ...anonymous, name: 'other' }));
    expect(await again).toBe("409 A deployment for agent 'Agent One!' in environment 'prod' already exists.");
    await post(world, { ...anonymous, name: 'other', agent: { ...agent, environment: 'test' } });
    const other = world.as();
    await register(other, 'machine');
    await post(other, anonymous);
  });
});

describe('a name', () => {
  it('belongs to one deployment of a tenant, however many ask at once', async () => {
    const world = await withListener();
    const bodies = Array.from({ length: 8 }, (_, index) =>
      github('a', { source_revision_config: { repo_ref: `branch-${index}` } }),
    );
    const answers = await Promise.allSettled(bodies.map((body) => post(world, body)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [String(answer.reason)] : [],
    );
    expect(new Set(refused)).toEqual(new Set(["ApiError: Deployment with name 'a' already exists."]));
    const other = world.as();
    await register(other, 'machine');
    expect((await post(other, github('a'))).name).toBe('a');
  });
});

describe('a create that is repeated', () => {
  const secrets = [{ name: 'TOKEN', value: 'one' }];
  const body = github('a', { secrets });
  const taken = "409 Deployment with name 'a' already exists.";

  it('by the same caller within two minutes answers with the deployment it made', async () => {
    const world = await withListener();
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(world, body)));
    world.advance(100);
    answers.push(await post(world, body));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect((await revisions(world, answers[0]?.id ?? '')).resources).toHaveLength(1);
  });

  it('does so too when the deployment was changed in between', async () => {
    const world = await withListener();
    const { id } = await post(world, body);
    await change(world, id, { secrets: [{ name: 'TOKEN', value: 'two' }] });
    expect((await post(world, body)).id).toBe(id);
  });

  it('is 409 after two minutes', async () => {
    const world = await withListener();
    await post(world, body);
    world.advance(121);
    expect(await refusedWith(post(world, body))).toBe(taken);
  });

  it('is 409 with another body, other secret values, or by another user', async () => {
    const world = await withListener();
    await post(world, body);
    const others = [
      { ...body, source_revision_config: { repo_ref: 'x' } },
      { ...body, secrets: [{ name: 'TOKEN', value: 'two' }] },
      { ...body, secrets: [] },
      { ...body, secrets: [...secrets, { name: 'MORE', value: 'x' }] },
    ];
    for (const other of others) expect(await refusedWith(post(world, other))).toBe(taken);
    const colleague = world.as({ userId: world.deps.clock.randomId() });
    expect(await refusedWith(post(colleague, body))).toBe(taken);
  });
});

describe('the items of a create', () => {
  it('are written together or not at all', async () => {
    const world = await withListener();
    const { client } = world.deps.table;
    const before = await allItems(world.deps.table);
    const body = github('a', {
      secrets: [{ name: 'A', value: 'b' }],
      agent: { agent_id: 'x', environment: 'y' },
    });
    let writes = 0;
    client.middlewareStack.add(
      (next) => async (args) => {
        // The document client's input of a transaction: one condition that cannot hold goes last.
        const input = args.input as { TransactItems?: object[] };
        writes = input.TransactItems?.length ?? 0;
        const impossible = {
          ConditionCheck: {
            TableName: world.deps.table.name,
            Key: { pk: 'nobody', sk: 'A' },
            ConditionExpression: 'attribute_exists(pk)',
          },
        };
        if (input.TransactItems !== undefined) input.TransactItems = [...input.TransactItems, impossible];
        return next(args);
      },
      { step: 'initialize', name: 'impossible' },
    );
    await expect(post(world, body)).rejects.toThrow();
    client.middlewareStack.remove('impossible');
    expect(writes).toBe(9);
    expect(await allItems(world.deps.table)).toEqual(before);
    await post(world, body);
    expect(await allItems(world.deps.table)).toHaveLength(before.length + 8);
  });
});
