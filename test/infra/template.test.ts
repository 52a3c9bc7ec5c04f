import { beforeAll, describe, expect, it } from 'vitest';
import { functionRows } from '../../lib/contract/functions.ts';
import { routes } from '../../lib/contract/routes/index.ts';
import { type Synthesised, synthesised } from '../support/aws/synthesised.ts';
import { agentTests } from './agent-tests.ts';
import { alarmTests } from './alarm-tests.ts';
import { buildTests } from './build-tests.ts';
import { costTests } from './cost-tests.ts';
import { creationTests } from './creation-tests.ts';
import { frontTests } from './front-tests.ts';
import { doorbellTests, limitTests, routeTests } from './gateway-tests.ts';
import { keptTests } from './kept-tests.ts';
import { settingsTests } from './settings-tests.ts';

/** CloudFormation takes 500; the rest is room for what comes. */
const RESOURCES_MAX = 400;

let stacks: Synthesised;
beforeAll(() => {
  stacks = synthesised({ environment: 'test' });
});

const propertiesOf = (type: string) => stacks.all(type).map(([, { Properties }]) => Properties);

type Statement = { Action: string | string[]; Resource: unknown; Effect: string };
type Policies = { PolicyDocument: { Statement: Statement[] } }[];

/** The statements of every role and policy, by where they stand. */
const statements = (): [string, Statement][] =>
  [...stacks.all('AWS::IAM::Role'), ...stacks.all('AWS::IAM::Policy')].flatMap(([id, { Properties }]) => {
    // CloudFormation's own shape of both.
    const { Policies: inline = [], PolicyDocument: own } = Properties as {
      Policies?: Policies;
      PolicyDocument?: Policies[number]['PolicyDocument'];
    };
    const documents = [
      ...inline.map(({ PolicyDocument }) => PolicyDocument),
      ...(own === undefined ? [] : [own]),
    ];
    return documents.flatMap(({ Statement }) => Statement.map((one): [string, Statement] => [id, one]));
  });

describe('the stacks', () => {
  it(`have at most ${RESOURCES_MAX} resources each`, () => {
    const counts = [...stacks.stacks].map(
      ([name, resources]) => [name, Object.keys(resources).length] as const,
    );
    process.stdout.write(`resources: ${counts.map((pair) => pair.join(' ')).join(', ')}\n`);
    expect(counts.length).toBeGreaterThan(3);
    expect(counts.filter(([, count]) => count > RESOURCES_MAX)).toEqual([]);
  });

  routeTests((type) => propertiesOf(type));

  it('have one function a handler, with Node 24 on arm64 and its own role', () => {
    const functions = propertiesOf('AWS::Lambda::Function');
    const handlers = new Set(routes.map(({ handler }) => handler));
    expect(functions).toHaveLength(handlers.size + 1 + Object.keys(functionRows).length);
    expect(new Set(functions.map(({ Role }) => JSON.stringify(Role))).size).toBe(functions.length);
    for (const fn of functions) expect(fn).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'] });
  });

  it('have one log for all functions of the API and one for each other function, which all end', () => {
    const written = stacks.all('AWS::Lambda::Function').map(([id, { Properties }]) => {
      const { LogGroup } = Properties.LoggingConfig as { LogGroup: { Ref: string } }; // as the CDK writes it
      return [id.split('/')[0] ?? '', LogGroup.Ref] as const;
    });
    const ofApi = written.filter(([stack]) => stack !== 'root').map(([, log]) => log);
    expect(ofApi).toHaveLength(new Set(routes.map(({ handler }) => handler)).size + 1);
    expect(ofApi.filter((log) => !/^referenceto\w*ApiLog/i.test(log))).toEqual([]);
    const own = written.filter(([stack]) => stack === 'root').map(([, log]) => log);
    expect(new Set(own).size).toBe(Object.keys(functionRows).length);
    const logs = propertiesOf('AWS::Logs::LogGroup');
    // What opens sockets writes into that of the API. Beside these: requests, and builds.
    expect(logs).toHaveLength(own.length + 2);
    expect(logs.filter(({ RetentionInDays }) => RetentionInDays !== 30)).toEqual([]);
  });

  it('let one permission call each function of the API', () => {
    const permissions = propertiesOf('AWS::Lambda::Permission').map(({ Principal }) => Principal);
    const handlers = new Set(routes.map(({ handler }) => handler));
    // And what no route takes, and the doorbell.
    expect(permissions.filter((one) => one === 'apigateway.amazonaws.com')).toHaveLength(handlers.size + 2);
  });

  it('fill every placeholder of the state machine', () => {
    const [machine] = propertiesOf('AWS::StepFunctions::StateMachine');
    const text = String(machine?.DefinitionString);
    const wanted = new Set([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name));
    expect(new Set(Object.keys(machine?.DefinitionSubstitutions ?? {}))).toEqual(wanted);
  });
});

describe('roles', () => {
  it('name their actions, and their resources wherever one can be named', () => {
    const wild = statements().filter(([, { Action, Resource }]) => {
      const actions = [Action].flat();
      return actions.some((action) => action.includes('*')) || [Resource].flat().includes('*');
    });
    expect(wild.map(([, { Action }]) => Action)).toEqual([
      'ecr:GetAuthorizationToken',
      'ecr:GetAuthorizationToken',
      'dynamodb:ListStreams',
      'dynamodb:ListStreams',
    ]);
  });

  it('of functions that answer a GET have no action that writes, but where a row says why', () => {
    const isReader = ({ method, page, writes }: (typeof routes)[number]) =>
      method === 'GET' && !page?.writes && !writes;
    const readers = new Set(routes.filter(isReader).map(({ operation }) => operation.toLowerCase()));
    const found = statements().filter(([id]) =>
      readers.has(
        id
          .split('/')[1]
          ?.replace(/Role.*$/, '')
          .toLowerCase() ?? '',
      ),
    );
    expect(new Set(found.map(([id]) => id)).size).toBeGreaterThan(5);
    const actions = new Set(found.flatMap(([, { Action }]) => [Action].flat()));
    const reads =
      /^(dynamodb:(GetItem|Query|ConditionCheckItem)|kms:Decrypt|s3:(GetObject|GetObjectVersion|ListBucket)|logs:(CreateLogStream|PutLogEvents))$/;
    expect([...actions].filter((action) => !reads.test(action))).toEqual([]);
  });

  it('that push and pull images are taken by who needs them, and by nobody else', () => {
    const trusted = (name: string): string[] => {
      const role = propertiesOf('AWS::IAM::Role').find(({ RoleName }) => RoleName === `slipway-test-${name}`);
      // CloudFormation's own shape of it: the principals are references to roles, some in nested stacks.
      const trust = role?.AssumeRolePolicyDocument as
        | { Statement: { Principal: { AWS: object } }[] }
        | undefined;
      return (trust?.Statement ?? []).map(({ Principal }) => JSON.stringify(Principal.AWS).toLowerCase());
    };
    expect(trusted('image-push')).toEqual([
      expect.stringContaining('workflowbuildrole'),
      expect.stringMatching(/deployments.*createpushtokenrole/),
    ]);
    expect(trusted('image-pull')).toEqual([
      expect.stringMatching(/listeners.*createregistrycredentialsrole/),
    ]);
  });

  it('give the index of what is due to the three schedules alone', () => {
    const withIndex = statements().filter(([, { Resource }]) =>
      JSON.stringify(Resource).includes('/index/due'),
    );
    expect(withIndex.map(([id]) => id)).toEqual([
      expect.stringMatching(/^root\/Triggerssweep/),
      expect.stringMatching(/^root\/Triggersrevocations/),
      expect.stringMatching(/^root\/Triggersheads/),
    ]);
  });
});

describe('the stream', () => {
  type Mapping = { FilterCriteria: { Filters: { Pattern: string }[] }; FunctionName: unknown };
  const mappings = () => propertiesOf('AWS::Lambda::EventSourceMapping') as Mapping[];

  it('has two consumers, each with five attempts in halves, and a queue for what none of them helped', () => {
    expect(mappings()).toHaveLength(2);
    const queue = {
      OnFailure: { Destination: { 'Fn::GetAtt': [expect.stringMatching(/SetAside/), 'Arn'] } },
    };
    for (const mapping of mappings()) {
      expect(mapping).toMatchObject({
        MaximumRetryAttempts: 4,
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        StartingPosition: 'TRIM_HORIZON',
        DestinationConfig: queue,
      });
    }
  });

  it('calls dispatch for deployments, and for revisions unless somebody has them in hand', () => {
    const dispatch = mappings().find(({ FunctionName }) =>
      JSON.stringify(FunctionName).includes('Triggersdispatch'),
    );
    const patterns = dispatch?.FilterCriteria.Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown);
    const exists = { S: [{ exists: true }] };
    const revision = { entity: { S: ['revision'] } };
    expect(patterns).toEqual([
      { dynamodb: { NewImage: { entity: { S: ['deployment'] } } } },
      { dynamodb: { NewImage: { ...revision, status: { S: expect.any(Array) } } } },
      { dynamodb: { NewImage: { ...revision, outcome: { M: { stage: exists } } } } },
      { dynamodb: { NewImage: { ...revision, interrupt_requested_at: exists } } },
      { dynamodb: { NewImage: { ...revision, restart: { M: { cause: exists } } } } },
    ]);
    expect(JSON.stringify(patterns)).toContain('"AWAITING_DEPLOY"');
    expect(JSON.stringify(patterns)).not.toMatch(/"(AWAITING_BUILD|BUILDING|DEPLOYING)"/);
  });

  it('calls the second one for deployments that come and go, revisions, what says who changed it, and what a listener is rung for', () => {
    const events = mappings().find(({ FunctionName }) =>
      JSON.stringify(FunctionName).includes('Triggersevents'),
    );
    const seldom = ['webhook', 'deployment_health', 'threads_news', 'listener_presence'];
    const patterns = events?.FilterCriteria.Filters.map(({ Pattern }) => JSON.parse(Pattern) as unknown);
    expect(patterns).toEqual([
      { eventName: ['INSERT'], dynamodb: { NewImage: { entity: { S: ['deployment'] } } } },
      {
        eventName: ['REMOVE'],
        dynamodb: { OldImage: { entity: { S: ['deployment', 'oauth_token', 'oauth_connection'] } } },
      },
      {
        eventName: ['INSERT', 'MODIFY'],
        dynamodb: { NewImage: { entity: { S: ['revision', 'oauth_token', 'oauth_connection', ...seldom] } } },
      },
      {
        eventName: ['INSERT', 'MODIFY'],
        dynamodb: { NewImage: { audit: { M: { id: { S: [{ exists: true }] } } } } },
      },
      {
        eventName: ['INSERT', 'MODIFY'],
        dynamodb: { NewImage: { ring: { S: [{ exists: true }] } } },
      },
    ]);
  });

  it('leads to a bus that the consumer and the sweep alone tell', () => {
    expect(propertiesOf('AWS::Events::EventBus')).toEqual([
      expect.objectContaining({ Name: 'slipway-test-events' }),
    ]);
    const mayDo = (action: string) =>
      statements()
        .filter(([, { Action }]) => [Action].flat().includes(action))
        .map(([id]) => id.replace(/Role.*$/, ''));
    expect(mayDo('events:PutEvents')).toEqual(['root/Triggersevents', 'root/Triggerssweep']);
    // Both wake the function that delivers to webhooks; the state machine calls its own, and a delivery of a
    // git host the one that looks at heads.
    // The consumer also wakes the one that rings.
    const invokers = [...new Set(mayDo('lambda:InvokeFunction'))];
    expect(invokers.filter((id) => !/WebhookPost|receive-?delivery/i.test(id)).slice(1)).toEqual(
      mayDo('events:PutEvents'),
    );
  });
});

describe('events of builds', () => {
  it('tell of each change of state, and when a build that waited has its machine', () => {
    const patterns = propertiesOf('AWS::Events::Rule').map(({ EventPattern }) => EventPattern);
    const builds = { 'project-name': ['slipway-test-builds'] };
    expect(patterns).toEqual(
      expect.arrayContaining([
        { source: ['aws.codebuild'], 'detail-type': ['CodeBuild Build State Change'], detail: builds },
        {
          source: ['aws.codebuild'],
          'detail-type': ['CodeBuild Build Phase Change'],
          detail: { ...builds, 'completed-phase': ['QUEUED'] },
        },
      ]),
    );
  });
});

describe('what is kept', () => {
  keptTests(() => stacks);
});

describe('a deploy', () => {
  creationTests(() => stacks);
});

describe('without settings', () => {
  it('pages of no other origin may ask', () => {
    expect(propertiesOf('AWS::ApiGatewayV2::Api')[0]).not.toHaveProperty('CorsConfiguration');
  });

  it('who asks is known by keys alone', () => {
    const variables = JSON.stringify(propertiesOf('AWS::Lambda::Function'));
    expect(variables).toContain('TABLE_NAME');
    expect(variables).not.toContain('OIDC_ISSUER');
  });
});

describe('settings', () => {
  settingsTests();
});

describe('noisy neighbours', () => {
  limitTests(() => stacks);
  doorbellTests(() => stacks);
});

buildTests(() => stacks);

describe('agents', () => {
  agentTests(() => stacks);
  frontTests();
});

describe('alarms', () => {
  alarmTests(propertiesOf);
});

describe('the cost model', () => {
  costTests(() => stacks);
});
