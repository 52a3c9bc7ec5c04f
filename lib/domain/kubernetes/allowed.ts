import type { ResourceSpec } from '../../contract/deployments/resource-spec.ts';
import type { KubernetesConfig } from '../../contract/kubernetes-config.ts';
import { podSecurityOf } from '../../contract/pod-security.ts';
import { podSecurityProblems, volumeType } from './pod-security.ts';
import { type Problem, problem } from './problem.ts';

/** What an operator may limit, and of what: see docs/kubernetes.md. */
type Limits = Pick<
  KubernetesConfig,
  'pod_security' | 'allowed_volumes' | 'allowed_service_accounts' | 'allowed_hosts'
>;
type Volume = NonNullable<ResourceSpec['volumes']>[number];

/** The field of each type of volume that says which one it is. */
const namedBy: Record<string, string> = {
  configMap: 'name',
  secret: 'secretName',
  persistentVolumeClaim: 'claimName',
  csi: 'driver',
};

type Use = { field: string; type: string; name: unknown };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const memberOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);

/** A projected volume shows what other volumes would: it uses their types, too. */
function usesOf(volume: Volume, index: number): Use[] {
  const type = volumeType(volume);
  const field = `resource_spec.volumes[${index}].${type}`;
  const source = memberOf(volume, type);
  const named = namedBy[type];
  const sources = memberOf(source, 'sources');
  const projected = (type === 'projected' && Array.isArray(sources) ? sources : []).flatMap(
    (each: unknown, place: number) =>
      ['configMap', 'secret']
        .filter((part) => memberOf(each, part) !== undefined)
        .map((part) => ({
          field: `${field}.sources[${place}].${part}`,
          type: part,
          name: memberOf(memberOf(each, part), 'name'),
        })),
  );
  return [{ field, type, name: named === undefined ? undefined : memberOf(source, named) }, ...projected];
}

function volumesProblems(volumes: readonly Volume[], allowed: readonly string[]): Problem[] {
  const isAllowed = ({ type, name }: Use) =>
    allowed.includes(type) || (typeof name === 'string' && allowed.includes(`${type}/${name}`));
  const listed = allowed.length === 0 ? 'none is' : `${allowed.join(', ')} are`;
  return volumes
    .flatMap(usesOf)
    .flatMap((use) =>
      problem(
        use.field,
        isAllowed(use) ? undefined : `such a volume is refused: ${listed} taken (allowed_volumes)`,
      ),
    );
}

function accountProblems(account: string | undefined, allowed: readonly string[]): Problem[] {
  if (account === undefined || account === '' || allowed.includes(account)) return [];
  const taken = allowed.length === 0 ? 'leave it out' : `leave it out, or give ${allowed.join(' or ')}`;
  return problem(
    'resource_spec.service_account_name',
    `${JSON.stringify(account)} is refused: ${taken} (allowed_service_accounts)`,
  );
}

const WILDCARD = '*.';

/** `*.example.com` are all names below that domain, but not the domain itself. */
const covers = (pattern: string, host: string): boolean =>
  pattern.startsWith(WILDCARD) ? host.endsWith(pattern.slice(WILDCARD.length - 1)) : host === pattern;

/** The host of an own address; the text of one that is none is refused elsewhere. */
const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);

function hostProblems(url: string | null, allowed: readonly string[]): Problem[] {
  const host = url === null ? undefined : hostOf(url);
  if (host === undefined || allowed.some((pattern) => covers(pattern, host))) return [];
  const taken = allowed.length === 0 ? 'leave it out' : `${allowed.join(' or ')} is taken`;
  return problem('custom_url', `host ${host} is refused: ${taken} (allowed_hosts)`);
}

/**
 * What a listener's operator does not allow of a deployment, by field. `customUrl`: the deployment's own
 * address, null without one.
 */
export const operatorProblems = (spec: ResourceSpec, customUrl: string | null, limits: Limits): Problem[] => [
  ...podSecurityProblems(spec, podSecurityOf(limits)),
  ...(limits.allowed_volumes === undefined
    ? []
    : volumesProblems(spec.volumes ?? [], limits.allowed_volumes)),
  ...(limits.allowed_service_accounts === undefined
    ? []
    : accountProblems(spec.service_account_name, limits.allowed_service_accounts)),
  ...(limits.allowed_hosts === undefined ? [] : hostProblems(customUrl, limits.allowed_hosts)),
];
