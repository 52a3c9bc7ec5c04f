/** Why an agent's servers do not come up on compute that runs containers. */
export type AgentFailure = FinalFailure | PassingFailure | LateFailure;

type FinalFailure =
  | { kind: 'image_missing'; image: string }
  | { kind: 'image_platform'; image: string; found: string; wanted: string }
  /** `pullSecrets`: undefined where there can be none. */
  | { kind: 'registry_access'; image: string; pullSecrets: string[] | undefined }
  /** `limitField`: the field of `resource_spec` that sets the limit. */
  | { kind: 'out_of_memory'; limitField: string; limitMb: number }
  | { kind: 'exited'; exitCode: number; times: number; output: string[] }
  | { kind: 'no_way_out'; subnet: string }
  /** `variables`: secrets that name the stores of a LangGraph server, of which the compute brings none. */
  | { kind: 'stores_missing'; variables: string[] }
  /** `variable`: what the secret's value was to be called in the server's environment. */
  | { kind: 'secret_missing'; variable: string; secret: string; secretKey: string };

/** May pass while one waits: machines are added, what drains gives room, a slow server gets ready. */
type PassingFailure =
  /** `said`: the scheduler's own words. */
  | { kind: 'no_capacity'; cpu: number; memoryMb: number; said: string }
  | { kind: 'quota'; quota: string; said: string }
  | { kind: 'ok_status'; status: number }
  | { kind: 'ok_silent'; port: number };

type LateFailure = {
  kind: 'deadline';
  timeoutSeconds: number;
  ready: number;
  wanted: number;
  /** What they were waiting for, where that is known. */
  cause: PassingFailure | undefined;
};

/** Stands between the reason of a failure and the output that it quotes, a line each. */
export const OUTPUT_FOLLOWS = ' Its last lines of output:';

/** Together they fit into a status message. */
const OUTPUT_LINES_MAX = 30;
const OUTPUT_LINE_CHARACTERS_MAX = 200;

const PASSING: Record<PassingFailure['kind'], true> = {
  no_capacity: true,
  quota: true,
  ok_status: true,
  ok_silent: true,
};

/** It is said while one waits, and is the reason only once the time is over. */
export const mayPass = (failure: AgentFailure): failure is PassingFailure => failure.kind in PASSING;

/** What a person reads: what is wrong, and what to do about it. */
export function describeFailure(failure: AgentFailure): string {
  switch (failure.kind) {
    case 'image_missing':
      return `The image '${failure.image}' is not in its registry. Push it, or correct image_uri, and deploy again.`;
    case 'image_platform':
      return `The image '${failure.image}' is made for ${failure.found}, and it would run on ${failure.wanted}. Build it for ${failure.wanted} and deploy again.`;
    case 'registry_access':
      return registryAccess(failure);
    case 'out_of_memory':
      return `The server needed more than its limit of ${failure.limitMb} MB of memory and was ended. Raise ${failure.limitField} in resource_spec, or let it use less.`;
    case 'exited':
      return exited(failure);
    case 'no_way_out':
      return `From '${failure.subnet}' the registry of the image, or the store of its secrets, does not answer. Redeploy in a while. If it stays so, the subnet has no way out to the internet: whoever runs this installation gives it public addresses or a NAT gateway (agentNetwork).`;
    case 'stores_missing':
      return `The image runs a LangGraph server, which keeps threads in Postgres and runs in Redis. Neither is brought here: give the address of your own as the ${failure.variables.length === 1 ? 'secret' : 'secrets'} ${failure.variables.join(' and ')}, and deploy again.`;
    case 'secret_missing':
      return `The variable ${failure.variable} has no value: where the agent runs there is no secret '${failure.secret}' with the key '${failure.secretKey}'. Create it, or correct secret_references.`;
    case 'no_capacity':
      return `No machine has room for a server with ${failure.cpu} CPU and ${failure.memoryMb} MB of memory (${inLine(failure.said)}). Ask for less in resource_spec, or add machines.`;
    case 'quota':
      return `The quota '${failure.quota}' is used up (${inLine(failure.said)}). Ask for less in resource_spec, or have the quota raised.`;
    case 'ok_status':
      return `GET /ok answers ${failure.status} instead of 200. The server must answer 200 there once it is ready; its deploy log may say why it does not.`;
    case 'ok_silent':
      return `Nothing answers GET /ok on port ${failure.port}. Let the server listen on 0.0.0.0, at the port that the variable PORT names.`;
    case 'deadline':
      return late(failure);
  }
}

function registryAccess({ image, pullSecrets }: Extract<AgentFailure, { kind: 'registry_access' }>): string {
  const refuses = `The registry does not hand out the image '${image}'`;
  if (pullSecrets === undefined)
    return `${refuses}, and there are no pull secrets here. Push it to this installation's registry (source 'internal_docker'), or let anybody pull it.`;
  if (pullSecrets.length === 0)
    return `${refuses} without credentials. Name a pull secret for it in resource_spec.image_pull_secrets.`;
  const names = pullSecrets.map((name) => `'${name}'`).join(', ');
  return `${refuses} to the credentials of image_pull_secrets (${names}). Check that each exists beside the agent and is valid for this registry.`;
}

function exited({ exitCode, times, output }: Extract<AgentFailure, { kind: 'exited' }>): string {
  const how = times > 1 ? `exits in a loop: ${times} times so far, last` : 'exited';
  const what = `The server ${how} with code ${exitCode}`;
  if (output.length === 0) return `${what}, and wrote nothing. Run its image by hand to see why.`;
  // Half a character at the cut would make the whole report one that is refused.
  const lines = output
    .slice(-OUTPUT_LINES_MAX)
    .map((line) => line.slice(0, OUTPUT_LINE_CHARACTERS_MAX).toWellFormed());
  return `${what}. Correct the cause and deploy again.${OUTPUT_FOLLOWS}\n${lines.join('\n')}`;
}

function late({ timeoutSeconds, ready, wanted, cause }: LateFailure): string {
  const why = cause === undefined ? 'Its deploy log may say what it waits for.' : describeFailure(cause);
  return `Not ready after ${timeoutSeconds} s, with ${ready} of ${wanted} servers up. ${why}`;
}

/** A reason is one line. */
const inLine = (said: string): string => said.trim().replaceAll(/\s+/g, ' ');
