import type { Ask, Deployment } from '../../client/endpoints.ts';
import type { Shell } from './shell.ts';

const CHANGE = 'PATCH /v2/deployments/{deployment_id}';
export type Change = NonNullable<Ask<typeof CHANGE>['body']>;

/** Changes what is stored now, or nothing: somebody else may be changing it too. */
export async function changeDeployment(
  { client, world }: Shell,
  { id }: Pick<Deployment, 'id'>,
  changeOf: (now: Deployment) => Change,
): Promise<Deployment> {
  const { signal } = world;
  const params = { deployment_id: id };
  const { answer, tag } = await client.askTagged(
    'GET /v2/deployments/{deployment_id}',
    { params },
    { signal },
  );
  return client.ask(
    CHANGE,
    { params, body: changeOf(answer) },
    { signal, ...(tag !== null && { headers: { 'If-Match': tag } }) },
  );
}
