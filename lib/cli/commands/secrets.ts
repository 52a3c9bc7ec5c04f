import { changeDeployment } from '../shell/change.ts';
import { command } from '../shell/command.ts';
import { Ended, UsageError } from '../shell/ends.ts';
import { finish, waitFlags } from '../shell/finish.ts';
import { deploymentOf } from '../shell/names.ts';
import { plain } from '../shell/output.ts';
import { givenSecrets, nameAndValue, type Secret, secretLine, withSecrets } from '../shell/secrets.ts';
import type { Shell } from '../shell/shell.ts';

const ofDeployment = {
  deployment: { short: 'd', value: 'D', says: "the deployment (default: the folder's)" },
} as const;

const list = command({
  name: 'secrets list',
  args: '[D]',
  says: 'List the names of the secrets of a deployment; nobody is shown a value',
  examples: ['slipway secrets list agent'],
  flags: {},
  async run(shell, _, [name]) {
    const { secrets, secret_references: references } = await deploymentOf(shell, name);
    const names = secrets.map((each) => each.name).toSorted();
    const json = { secrets: names, secret_references: references };
    const referred = references.map((each) => `${each.name} (${each.secret_name}/${each.secret_key})`);
    shell.output.result(json, [...names, ...referred].map(plain));
  },
});

const set = command({
  name: 'secrets set',
  args: '[NAME[=VALUE]...]',
  says: 'Set secrets, and run the deployment with them',
  more: 'A name without a value is asked for, unseen; without a terminal the value of one is read from stdin.',
  examples: [
    'slipway secrets set OPENAI_API_KEY --deployment agent',
    'slipway secrets set A=1 B=2 --no-wait',
    'slipway secrets set --env-file .env',
    'pass show key | slipway secrets set OPENAI_API_KEY',
  ],
  flags: {
    ...ofDeployment,
    'env-file': { value: 'FILE', says: 'a file of secrets, as .env' },
    ...waitFlags,
  },
  async run(shell, given, texts) {
    const file = given['env-file'];
    const ofFile = givenSecrets(shell.world, file === undefined ? {} : { 'env-file': file });
    if (texts.length === 0 && ofFile.length === 0)
      throw new UsageError('Name a secret, or give --env-file: slipway secrets set NAME=VALUE');
    const deployment = await deploymentOf(shell, given.deployment);
    const changed = [...ofFile, ...(await typedSecrets(shell, texts))];
    const made = await changeDeployment(shell, deployment, (now) => ({ secrets: withSecrets(now, changed) }));
    await finish(shell, made, given);
  },
});

const unset = command({
  name: 'secrets unset',
  args: 'NAME...',
  says: 'Remove secrets, and run the deployment without them',
  examples: ['slipway secrets unset OPENAI_API_KEY --deployment agent'],
  flags: { ...ofDeployment, ...waitFlags },
  async run(shell, given, names) {
    const deployment = await deploymentOf(shell, given.deployment);
    const made = await changeDeployment(shell, deployment, (now) => {
      const known = new Set(now.secrets.map(({ name }) => name));
      const unknown = names.filter((name) => !known.has(name));
      if (unknown.length > 0) throw new Ended(`${now.name} has no secret ${unknown.join(', ')}.`);
      const left = withSecrets(now, []).filter(({ name }) => !names.includes(name));
      // An empty list would keep them.
      return left.length === 0 ? { clear_secrets: true } : { secrets: left };
    });
    await finish(shell, made, given);
  },
});

export const secrets = [list, set, unset];

async function typedSecrets(shell: Shell, texts: readonly string[]): Promise<Secret[]> {
  const given = texts.map(nameAndValue);
  const open = given.filter(([, value]) => value === undefined).map(([name]) => name);
  if (open.length > 1 && !shell.canAsk)
    throw new UsageError(
      `stdin has the value of one secret, not of ${open.join(' and ')}: NAME=VALUE, or --env-file.`,
    );
  const found: Secret[] = [];
  for (const [name, value] of given)
    found.push({ name, value: value ?? (await secretLine(shell, `Value of ${name}`)) });
  return found;
}
