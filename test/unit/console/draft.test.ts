import { describe, expect, it } from 'vitest';
import {
  apiName,
  changedNames,
  type Draft,
  draftNames,
  draftOf,
  effectOf,
  emptyDraft,
  listText,
  mergedDraft,
  strongest,
} from '../../../console/logic/draft.ts';
import { bodyOf } from '../../../console/logic/draft-body.ts';
import { heedsNothing, restProblem, unheededWhy } from '../../../console/logic/resources.ts';
import type { Deployment } from '../../../lib/client/endpoints.ts';
import {
  buildFields,
  configFields,
  runFields,
  sourceConfigNames,
} from '../../../lib/contract/deployments/fields.ts';
import { deploymentExamples } from '../../../lib/features/deployments/examples.ts';
import {
  changeDeploymentBody,
  createDeploymentBody,
  deploymentView,
} from '../../../lib/features/deployments/shape.ts';

const deployment: Deployment = deploymentView.parse(deploymentExamples.getDeployment.response);
const empty: Deployment = {
  ...deployment,
  source_config: { ...deployment.source_config, listener_id: null, custom_url: null },
};

/** One value of each field, as it is typed. */
const filled: Draft = {
  ...emptyDraft(),
  integration_id: '01234567-89ab-7def-8123-456789abcdef',
  repo_url: 'https://git.example/team/agent',
  repo_ref: 'release',
  graph_config_path: 'agent.json',
  build_on_push: 'true',
  push_paths: 'src/**\n\n pyproject.toml ',
  root_directory: 'apps/agent',
  install_command: 'uv sync',
  build_command: 'make',
  dockerfile_path: 'docker/Dockerfile',
  docker_target: 'server',
  build_env: listText([{ name: 'MODE', value: 'a\n"b"' }]),
  start_command: 'serve --port $PORT',
  runtime: 'command',
  health_path: '/ready',
  health_seconds: '90',
  secret_references: 'KEY=of-cluster/key',
  more_resources: '{"labels": {"team": "a"}, "cpu": 9}',
  waiting: 'warn',
  days: '7',
  drain_seconds: '600',
  custom_url: 'agent.example.com',
  display_name: 'The agent',
  listener_id: '11234567-89ab-7def-8123-456789abcdef',
  k8s_namespace: 'agents',
  cpu: '0.5',
  memory_mb: '1024',
  max_scale: ' 3 ',
};

describe('the draft of a deployment', () => {
  it('has every field of the API, or there is a reason', () => {
    const reached = new Set(draftNames.map((name) => apiName(name).split('.')[1]));
    const reasons = {
      // What clients call their deployments; nothing here heeds it.
      deployment_type: true,
      // A list of their own beside the draft.
      build_secrets: true,
    };
    expect(sourceConfigNames.filter((field) => !reached.has(field))).toEqual(
      expect.arrayContaining(Object.keys(reasons)),
    );
    expect(sourceConfigNames.filter((field) => !reached.has(field) && !(field in reasons))).toEqual([]);
  });

  it('knows what saving each field does, as the API has it', () => {
    for (const name of draftNames) {
      const [where, field = ''] = apiName(name).split('.');
      if (where !== 'source_config') continue;
      const is = (fields: readonly string[]) => fields.includes(field);
      const expected = is(buildFields)
        ? 'build'
        : is(runFields)
          ? 'run'
          : is(configFields)
            ? 'setting'
            : 'none';
      expect([name, effectOf([name])]).toEqual([name, expected]);
    }
    expect([effectOf([]), effectOf(['display_name', 'cpu']), strongest('run', 'build')]).toEqual([
      'none',
      'run',
      'build',
    ]);
  });

  it('is sent as the API takes it, each value in its place', () => {
    const body = { name: 'agent', ...bodyOf({ ...filled, image_uri: '' }) };
    expect(createDeploymentBody.parse(body)).toEqual({
      name: 'agent',
      display_name: 'The agent',
      secret_references: [{ name: 'KEY', secret_name: 'of-cluster', secret_key: 'key' }],
      source_config: {
        integration_id: filled.integration_id,
        repo_url: filled.repo_url,
        build_on_push: true,
        push_paths: ['src/**', 'pyproject.toml'],
        root_directory: 'apps/agent',
        install_command: 'uv sync',
        build_command: 'make',
        dockerfile_path: 'docker/Dockerfile',
        docker_target: 'server',
        build_env: [{ name: 'MODE', value: 'a\n"b"' }],
        start_command: 'serve --port $PORT',
        runtime: 'command',
        health_check: { path: '/ready', timeout_seconds: 90 },
        on_release: { waiting: 'warn', days: 7 },
        drain_seconds: 600,
        custom_url: 'agent.example.com',
        listener_id: filled.listener_id,
        listener_config: { k8s_namespace: 'agents' },
        resource_spec: { labels: { team: 'a' }, cpu: 0.5, memory_mb: 1024, max_scale: 3 },
      },
      source_revision_config: { repo_ref: 'release', graph_config_path: 'agent.json' },
    });
    expect(bodyOf({ ...emptyDraft(), image_uri: ' ghcr.io/a/b ' }).source_revision_config).toEqual({
      image_uri: 'ghcr.io/a/b',
    });
  });

  it('sends only what has changed, and clears what was emptied', () => {
    const before = draftOf(deployment);
    expect([changedNames(before, before), bodyOf(before, before)]).toEqual([
      [],
      { source_config: {}, source_revision_config: {} },
    ]);
    expect(bodyOf({ ...before, cpu: '2', custom_url: '' }, before).source_config).toEqual({
      custom_url: '',
      resource_spec: { cpu: 2, memory_mb: 1024 },
    });
    const all = { ...filled, listener_id: before.listener_id, image_uri: '' };
    const cleared = { ...emptyDraft(), listener_id: before.listener_id, repo_url: all.repo_url };
    expect(changeDeploymentBody.parse(bodyOf(cleared, all))).toMatchObject({
      display_name: null,
      secret_references: [],
      source_config: {
        build_on_push: false,
        push_paths: [],
        install_command: '',
        build_env: [],
        health_check: {},
        on_release: {},
        resource_spec: {},
        custom_url: '',
        runtime: 'auto',
      },
      source_revision_config: { repo_ref: 'main', graph_config_path: 'langgraph.json' },
    });
    // Nothing clears it: it stays until another number is given.
    expect(bodyOf(cleared, all).source_config).not.toHaveProperty('drain_seconds');
  });

  it('keeps own edits on what somebody else has stored meanwhile', () => {
    const before = draftOf(empty);
    const own = { ...before, install_command: 'own', cpu: '4' };
    const now = { ...before, build_command: 'theirs', cpu: '8' };
    const both = mergedDraft(own, before, now);
    expect([both.install_command, both.build_command, both.cpu]).toEqual(['own', 'theirs', '4']);
  });
});

describe('resources', () => {
  it('say where they count for nothing, and why', () => {
    expect([heedsNothing('process'), heedsNothing('k8s'), heedsNothing(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(unheededWhy('ecs', 'cpu')).toBeUndefined();
    expect(unheededWhy('ecs', 'cpu_limit')).toContain('fixed size');
    expect(unheededWhy('of later', 'cpu')).toBeUndefined();
  });

  it('are refused as JSON where they are none', () => {
    expect(['', ' ', '{"labels": {}}'].map(restProblem)).toEqual([undefined, undefined, undefined]);
    expect(restProblem('[1]')).toContain('no JSON object');
    expect(restProblem('{labels: 1}')).toContain('double quotes');
  });
});
