import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { contextOf, makeApp, type Stacks } from '../../../lib/infra/app.ts';
import { handlers } from '../../../lib/infra/handlers.ts';
import { NAG_PREFIX } from '../../../lib/infra/nag-suppressions.ts';
import { changed, givenIn } from '../../../lib/infra/settings.ts';

const CDK_JSON = fileURLToPath(new URL('../../../cdk.json', import.meta.url));

export type Resource = {
  Type: string;
  Properties: Record<string, unknown>;
  DeletionPolicy?: string;
  DependsOn?: string[];
};
export type Synthesised = {
  /** Every stack: `root` is the application's, `data` the one that is kept, nested ones go by their area. */
  stacks: Map<string, Record<string, Resource>>;
  /** What `cdk deploy` prints. */
  outputs: Record<string, { Value: unknown }>;
  /** What the application's stack asks for when it is deployed. */
  parameters: Record<string, { Type: string; Default: unknown }>;
  /** Whether CloudFormation refuses to delete the data stack. */
  isDataProtected: boolean;
  /** The resources of a type in all stacks, by stack and logical id. */
  all(type: string): [id: string, resource: Resource][];
};

/**
 * What a settings file may say beyond its defaults: for tests of several of its parts, which then share one
 * synthesis.
 */
export const configured = {
  environment: 'test',
  removal: 'destroy',
  domainName: 'slipway.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1',
  corsOrigins: 'https://console.example, http://localhost:5173',
  oidcIssuer: 'https://id.example/realm',
  oidcAudience: 'slipway',
  engineConcurrency: 7,
  alarmEmail: 'operators@example.com',
};

/** Made once for all files of a worker: each takes seconds. */
const made = new Map<string, Synthesised>();

/**
 * The stacks as `cdk synth` makes them with this context, but for the code of the functions: bundling it is
 * tested elsewhere.
 */
export function synthesised(context: Record<string, unknown> = {}): Synthesised {
  const id = JSON.stringify(context);
  const known = made.get(id) ?? synthesise(context);
  made.set(id, known);
  return known;
}

function synthesise(context: Record<string, unknown>): Synthesised {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-synth-'));
  try {
    return synthesiseIn(folder, context);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function synthesiseIn(folder: string, context: Record<string, unknown>): Synthesised {
  const { data, application: root } = appIn(folder, context);
  const stacks = new Map<string, Record<string, Resource>>();
  for (const child of [root, data, ...root.nestedStacks]) {
    // A template is JSON whose resources have this shape.
    const { Resources } = Template.fromStack(child).toJSON() as { Resources: Record<string, Resource> };
    stacks.set(child === root ? 'root' : child === data ? 'data' : child.node.id, Resources);
  }
  const { Outputs: outputs, Parameters: parameters } = Template.fromStack(root).toJSON() as {
    Outputs: Synthesised['outputs'];
    Parameters: Synthesised['parameters'];
  };
  return {
    stacks,
    outputs,
    parameters,
    isDataProtected: data.terminationProtection,
    all: (type) =>
      [...stacks].flatMap(([name, resources]) =>
        Object.entries(resources).flatMap(([id, resource]) =>
          resource.Type === type ? [[`${name}/${id}`, resource] as [string, Resource]] : [],
        ),
      ),
  };
}

/** The app with stand-ins for the code of functions. `folder` is empty; `out` in it is where it is synthesised to. */
function appIn(folder: string, context: Record<string, unknown>): Stacks & { app: App } {
  // CloudFormation's own validation takes longer than all else and only warns; `cdk synth` has it. Where each
  // part was made in the code is in no template.
  const unused = { builtinCloudFormationValidation: false, stackTraces: false, treeMetadata: false };
  const app = new App({ outdir: join(folder, 'out'), context, ...unused });
  const code = join(folder, 'code');
  mkdirSync(code);
  writeFileSync(join(code, 'index.mjs'), 'export const handler = async () => undefined;\n');
  const bundles = new Map(handlers().map((handler) => [handler, { folder: code, sizeBytes: 0 }]));
  const given = changed({}, givenIn(contextOf(app)));
  return { app, ...makeApp(app, given, { bundles, builderFolder: code }) };
}

export type Assembly = {
  /** Each template as text: `root` is the application's, `data` the one that is kept, nested ones go by their area. */
  templates: Map<string, string>;
  /** The findings of cdk-nag that are meant to be so: the rule without its prefix, and the reason. */
  acknowledged: Map<string, string>;
};

/** What `cdk deploy` would send, with the flags of cdk.json. */
export function assembly(context: Record<string, unknown>): Assembly {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-assembly-'));
  try {
    // The file of the CDK, whose shape this is.
    const { context: flags } = JSON.parse(readFileSync(CDK_JSON, 'utf8')) as { context: object };
    const { app, data, application: root } = appIn(folder, { ...flags, ...context });
    app.synth();
    const read = (name: string) => readFileSync(join(folder, 'out', name), 'utf8');
    const templates = [root, data, ...root.nestedStacks].map((stack): [string, string] => [
      stack === root ? 'root' : stack === data ? 'data' : stack.node.id,
      read(stack.templateFile),
    ]);
    return {
      templates: new Map(templates),
      acknowledged: acknowledgedIn(read(`${root.stackName}.metadata.json`)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads what cdk-nag wrote beside a template. */
function acknowledgedIn(metadata: string): Map<string, string> {
  // Entries by their construct, as the CDK writes them.
  const entries = JSON.parse(metadata) as Record<string, { type: string; data: unknown }[]>;
  const rules = Object.values(entries)
    .flat()
    .filter(({ type }) => type === 'aws:cdk:acknowledged-rules')
    .flatMap(({ data }) => Object.entries(data as Record<string, string>)); // a reason by rule
  return new Map(rules.map(([id, reason]) => [id.replace(NAG_PREFIX, ''), reason]));
}
