import { isDeepStrictEqual } from 'node:util';
import type { ChangeDeploymentBody } from '../../../contract/deployments/requests.ts';
import { nameInBoth, namesInBoth, SECRET_MASK } from '../../../contract/deployments/secrets.ts';
import { ValidationError } from '../../../contract/errors.ts';
import type { Deps } from '../../../core/deps.ts';
import type { Deployment } from '../../../core/items/items.ts';
import { openDeploymentSecrets } from '../../../core/secrets.ts';

/**
 * Throws 422 for a name that would belong to a secret and to a reference, unless it did before and the
 * request leaves both as they are: an earlier release took it, and what is stored can be sent back.
 */
export async function checkSecretNames(
  deps: Pick<Deps, 'table' | 'keys'>,
  before: Deployment,
  after: Deployment,
  body: ChangeDeploymentBody,
): Promise<void> {
  const asSecrets = ({ secret_names: names }: Deployment) => names.map((name) => ({ name }));
  const inBoth = namesInBoth(asSecrets(after), after.secret_references);
  if (inBoth.length === 0) return;
  const known = new Set(namesInBoth(asSecrets(before), before.secret_references));
  const owner = { tenantId: before.tenant_id, deploymentId: before.id };
  const stored = known.size === 0 ? [] : await openDeploymentSecrets(deps, owner, before.secrets);
  const isKept = (name: string): boolean => {
    const named = ({ name: each }: { name: string }) => each === name;
    const value = body.secrets?.find(named)?.value ?? SECRET_MASK;
    return (
      known.has(name) &&
      isDeepStrictEqual(after.secret_references.find(named), before.secret_references.find(named)) &&
      (value === SECRET_MASK || value === stored.find(named)?.value)
    );
  };
  const items = inBoth.filter((name) => !isKept(name)).map((name) => itemOf(name, body));
  if (items.length > 0) throw new ValidationError(items);
}

function itemOf(name: string, { secrets = [], secret_references: references = [] }: ChangeDeploymentBody) {
  const isNamed = (entry: { name: string }) => entry.name === name;
  const reference = references.findIndex(isNamed);
  const place = reference === -1 ? ['secrets', secrets.findIndex(isNamed)] : ['secret_references', reference];
  return { loc: ['body', ...place, 'name'], ...nameInBoth(name) };
}
