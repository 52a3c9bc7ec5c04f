import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { routes } from '../../lib/contract/routes/index.ts';
import { accessOf } from '../../lib/contract/routes/route.ts';
import { RELEASE_ENVIRONMENT, unpackRelease } from '../support/aws/earlier-release.ts';
import { assembly } from '../support/aws/synthesised.ts';
import { temporaryFolder } from '../support/files/temporary-folder.ts';

/**
 * What differs without settings from the release before, each by where it is (stack, logical id without its
 * hash, and the path below) and why. Nothing else may: who upgrades gets what is here.
 */
/** Of functions that are asked with bearers and queried nothing before. */
const ASKING = routes
  .filter(
    (row) => !row.access.some((word) => word === 'table:query') && accessOf(row).includes('table:query'),
  )
  .map(({ operation }) => operation.toLowerCase());

const DIFFERENCES: readonly { at: RegExp; because: string }[] = [
  { at: /^data\/Resources\/settingsParameter\w+$/, because: 'an installation remembers its settings' },
  { at: /(HEAD\w+|RouteSettings\/HEAD .+)$/, because: 'what answers a GET answers a HEAD' },
  {
    at: /^identity\/Resources\/listrepositories/,
    because: 'the repositories that an integration sees are listed',
  },
  {
    at: /Environment\/Variables\/\w+_MAX$/,
    because: 'how much a tenant may have is a setting, which who counts reads',
  },
  {
    at: /(create|patch|redeploy|delete|build)\w*Role\w{8}\/Properties\/Policies\/0\/PolicyDocument\/Statement\/1\/Action\/\d$/,
    because: 'counts of a tenant are compared and changed in the write that they limit',
  },
  {
    at: /(Environment\/Variables\/BUILD_(QUEUE_)?SECONDS|StateMachine\w{8}\/Properties\/DefinitionString)$/,
    because: 'builds wait for a builder apart from the time that they may take',
  },
  {
    at: /^root\/Resources\/(Doorbell\w+|Triggersring\w+|Triggersevents(Role\w{8}\/Properties\/Policies\/0\/PolicyDocument\/Statement\/4|Function\w{8}\/Properties\/Environment\/Variables\/RING_FUNCTION_NAME)|TriggersEventStream\w{8}\/Properties\/FilterCriteria\/Filters\/4)$/,
    because: 'listeners are rung',
  },
  {
    at: /(Parameters\/referencetoslipwayverifyupgradeDoorbellApi\w+|^listeners\/Resources\/claimtasks\w+\/Properties\/Environment\/Variables\/DOORBELL_URL)$/,
    because: 'a claim says where a listener is rung',
  },
  {
    at: /^listeners\/Resources\/claimtasksRole\w{8}\/Properties\/Policies\/0\/PolicyDocument\/Statement\/1\/Action\/\d$/,
    because: 'a claim takes the reports of what runs',
  },
  { at: /Environment\/Variables\/KEY_DAYS$/, because: 'keys that are made in the console end' },
  {
    at: /(Environment\/Variables\/KEY_ID|Role\w{8}\/Properties\/Policies\/0\/PolicyDocument\/Statement\/2)$/,
    because: 'what people and listeners say is masked where it is recorded, for which secrets are decrypted',
  },
  {
    at: /AssumeRolePolicyDocument\/Statement\/0\/Condition$/,
    because: 'services act for this account alone',
  },
  {
    at: /(receivedelivery\w+\/Properties\/(Policies\/0\/PolicyDocument\/Statement\/3|Description|Environment\/Variables\/ALLOWED_HOSTS)|heads\w+\/Properties\/Description)$/,
    because: 'a delivery wakes the function that looks at heads, and looks at nothing itself',
  },
  {
    at: /(^identity\/Resources\/(create|find|confirm|deny|delete)device(code|token|login)\w+|RouteSettings\/POST \/v2\/device\/\w+)$/,
    because: 'a program is let in with a code that a person confirms',
  },
  {
    at: /(^deployments\/Resources\/(getdeploymentmetrics|exposemetrics)\w+|RouteSettings\/GET \/v2\/(metrics|deployments\/\{deployment_id\}\/metrics))$/,
    because: 'what was measured of deployments is shown',
  },
  {
    at: /(^logs\/Resources\/list(deploymentactivity|activity|attention)\w+|RouteSettings\/GET \/v2\/(activity|attention|deployments\/\{deployment_id\}\/activity))$/,
    because: 'what happened, and what needs somebody, is told in sentences',
  },
  {
    at: /(^deployments\/Resources\/(listbranches|lookatrepository|getsource)\w+|^identity\/Resources\/testintegration\w+|RouteSettings\/(GET \/v2\/repositories\/\w+|GET \/v2\/deployments\/\{deployment_id\}\/source|POST \/v2\/integrations\/\{integration_id\}\/test))$/,
    because: 'repositories are looked at before and while they are deployed, and integrations are tested',
  },
  {
    at: /^deployments\/Resources\/releasethreads\w+$/,
    because: 'threads that wait in an earlier revision are let go on request',
  },
  {
    at: new RegExp(
      `/(${ASKING.join('|')})\\w*Role\\w{8}/Properties/Policies/0/PolicyDocument/Statement/\\d/Action(/\\d)?$`,
    ),
    because: 'who is of one tenant need not name it, so that it is looked up',
  },
  {
    at: /(^logs\/Resources\/querydeploymentlogs\w+|RouteSettings\/GET \/v2\/deployments\/\{deployment_id\}\/logs)$/,
    because: 'a deployment has one log of all revisions',
  },
  {
    at: /(^core\/Resources\/getcli\w+|RouteSettings\/GET \/cli(\/\{file\})?)$/,
    because: 'the installation serves its command line',
  },
  {
    at: /(^identity\/Resources\/(\w+tokenrules?|exchangetoken)[A-Z]\w+|RouteSettings\/POST \/v2\/token)$/,
    because: 'jobs of CI exchange tokens for keys, by rules',
  },
  {
    at: /(reportstatusRole\w{8}\/Properties\/Policies\/0\/PolicyDocument\/Statement\/1\/Action\/\d|FilterCriteria\/Filters\/2\/Pattern)$/,
    because: 'a listener reports the threads that wait in each revision, and news of them are told',
  },
  {
    at: /^root\/Resources\/BuildsProject\w{8}\/Properties\/Source\/BuildSpec$/,
    because: 'a build adds the worker of the durable agent server',
  },
];

type Template = Record<string, unknown>;

/** Stacks by the names that the test data of settings has for them. */
async function templatesIn(folder: string): Promise<Map<string, Template>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.template.json'));
  const found = names.map(async (name): Promise<[string, Template]> => {
    const text = await readFile(join(folder, name), 'utf8');
    return [stackOf(name), templateOf(text)];
  });
  return new Map(await Promise.all(found));
}

const NESTED = /^slipwayverifyupgrade(?<area>\w+?)[0-9A-F]{8}\.nested\./;

function stackOf(file: string): string {
  const area = NESTED.exec(file)?.groups?.area;
  if (area !== undefined) return area.replace(/^Api/, '');
  return file.includes('-data.') ? 'data' : 'root';
}

/** What the CDK says of itself and of places in the code, which deploys nothing. */
function withoutNotes(template: Template): Template {
  const {
    Conditions: _,
    Resources,
    ...rest
  } = template as Template & { Resources: Record<string, Template> }; // as the CDK writes it
  const deployed = Object.entries(Resources).filter(([id]) => id !== 'CDKMetadata');
  return {
    ...rest,
    Resources: Object.fromEntries(deployed.map(([id, { Metadata: __, ...own }]) => [id, own])),
  };
}

/** Code and nested templates are named by their content, which is not compared. */
const ASSET = /\b[0-9a-f]{64}\b/g;
const templateOf = (text: string): Template =>
  withoutNotes(JSON.parse(text.replaceAll(ASSET, 'asset')) as Template); // what templates are

/** Where two values differ, as paths into both. */
function differences(one: unknown, other: unknown, path: string): string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  if (!isTree(one) || !isTree(other)) return [path];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => differences(one[key], other[key], `${path}/${key}`));
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

it('the templates without settings are those of the release before, but for what is named', async () => {
  const released = await templatesIn(await unpackRelease(await temporaryFolder(), 'plain'));
  const { templates } = assembly({ environment: RELEASE_ENVIRONMENT });
  const today = new Map([...templates].map(([name, text]) => [name, templateOf(text)]));
  expect([...today.keys()].toSorted()).toEqual([...released.keys()].toSorted());
  const found = [...today].flatMap(([name, template]) => differences(released.get(name), template, name));
  expect(found.filter((path) => !DIFFERENCES.some(({ at }) => at.test(path)))).toEqual([]);
  expect(DIFFERENCES.filter(({ at }) => !found.some((path) => at.test(path)))).toEqual([]);
});
