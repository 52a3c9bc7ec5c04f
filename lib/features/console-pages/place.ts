import type { RouteInput } from '../../contract/routes/route.ts';
import type { openConsole as row } from './routes.ts';

/** Where the console shows a deployment. The tenant is for credentials that are good for several. */
export async function deploymentPlace(
  _: unknown,
  {
    params: { tenant_id: tenant, deployment_id: id },
    baseUrl,
  }: Pick<RouteInput<typeof row>, 'params' | 'baseUrl'>,
): Promise<{ location: string }> {
  const query = new URLSearchParams({ tenant });
  return { location: `${baseUrl}/console/deployments/${encodeURIComponent(id)}?${query.toString()}` };
}
