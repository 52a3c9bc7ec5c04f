import { createHmac } from 'node:crypto';
import examples from '@octokit/webhooks-examples/api.github.com/index.json' with { type: 'json' };
import * as z from 'zod';
import { create as createWebhook } from '../../../functions/api/integrations/webhook.ts';
import { create as createHeads } from '../../../functions/schedules/heads.ts';
import type { CommitLook } from '../../../lib/adapters/git.ts';
import { nothingSeen, SourceError } from '../../../lib/adapters/git.ts';
import { functionRows } from '../../../lib/contract/functions.ts';
import { type IntegrationType } from '../../../lib/contract/integration-types.ts';
import { createIntegration } from '../../../lib/features/integrations/create.ts';
import { createIntegration as integrationRow } from '../../../lib/features/integrations/routes.ts';
import { listDeliveries } from '../../../lib/features/pushes/list.ts';
import {
  listDeliveries as deliveriesRow,
  receiveDelivery as webhookRow,
} from '../../../lib/features/pushes/routes.ts';
import { pushDeliveryView } from '../../../lib/features/pushes/shape.ts';
import { apiEvent, lambdaContext } from '../http/event.ts';
import { limited } from '../table/limited-table.ts';
import type { World } from './world.ts';

export const SECRET = 'the-webhook-secret';

/** `push` as GitHub documents it. */
const examplePush = (() => {
  const found = examples.find(({ name }) => name === 'push')?.examples[0];
  if (found === undefined) throw new Error('@octokit/webhooks-examples has no push');
  return z.looseObject({ repository: z.looseObject({}), head_commit: z.unknown() }).parse(found);
})();

type Asking = Pick<World, 'deps' | 'caller'>;

/** A host of repositories that a test pushes to: heads by `<address> <branch>`. */
export class GitHost {
  readonly heads = new Map<string, string>();
  readonly looks = new Map<string, CommitLook>();
  /** How often heads were asked. */
  asked = 0;
  /** Set: why it cannot be asked. */
  down: string | undefined;
  readonly #world: Asking;

  constructor(world: Asking) {
    this.#world = world;
    const headOf = async (repoUrl: string, branch: string) => {
      this.asked += 1;
      if (this.down !== undefined) throw new SourceError(this.down);
      return this.heads.get(`${repoUrl} ${branch}`);
    };
    world.deps.git = {
      resolve: async (repoUrl, ref) => {
        const commit = await headOf(repoUrl, ref);
        if (commit === undefined) throw new SourceError(`Ref '${ref}' does not exist in ${repoUrl}`);
        return commit;
      },
      heads: async (repoUrl, branches) => {
        const heads = new Map<string, string>();
        for (const branch of branches) {
          const commit = await headOf(repoUrl, branch);
          if (commit !== undefined) heads.set(branch, commit);
        }
        return heads;
      },
      look: async (_, { commit }) => this.looks.get(commit) ?? nothingSeen,
    };
    const heads = createHeads(() => limited(world.deps, functionRows.heads.access));
    world.deps.headWaker = { wake: async (head) => void (await heads(head)) };
  }

  async integrate(changes: object = {}): Promise<{ id: string }> {
    const asked = {
      type: 'github',
      host: 'git.example',
      token: 'a-token',
      webhook_secret: SECRET,
      ...changes,
    };
    const { deps, caller } = this.#world;
    return createIntegration(deps, { body: integrationRow.body.parse(asked) }, caller);
  }
}

/** `1` for a commit of ones: what is easily told apart. */
export const commitOf = (digit: string): string => digit.repeat(40);

/** GitHub's own example of a push, about these. */
export function pushPayload(
  changes: { address: string; ref?: string; after?: string } & Record<string, unknown>,
) {
  const { address, ref = 'refs/heads/main', after = commitOf('1'), ...rest } = changes;
  return {
    ...examplePush,
    ref,
    after,
    repository: {
      ...examplePush.repository,
      full_name: 'team/app',
      clone_url: address,
      ssh_url: address,
      html_url: address,
    },
    ...rest,
  };
}

export const hmac = (body: string | Uint8Array, secret = SECRET): string =>
  createHmac('sha256', secret).update(body).digest('hex');

export type Sent = {
  integrationId: string;
  type?: IntegrationType;
  body: string;
  headers: Record<string, string>;
};

/** Headers of a delivery of GitHub with this body. */
export const fromGitHub = (body: string, id: string, event = 'push', secret = SECRET) => ({
  'x-github-event': event,
  'x-github-delivery': id,
  'x-hub-signature-256': `sha256=${hmac(body, secret)}`,
});

/** Sends a delivery to the function behind the webhook, with the rights of its row. */
export async function deliver({ deps }: Asking, { integrationId, type = 'github', body, headers }: Sent) {
  const handler = createWebhook(() => limited(deps, webhookRow.access));
  const params = { type, integration_id: integrationId };
  const path = `/v1/integrations/${type}/${integrationId}/webhook`;
  const answer = await handler(apiEvent({ method: 'POST', path, params, body, headers }), lambdaContext());
  return { status: answer.statusCode, body: JSON.parse(answer.body ?? 'null') as unknown };
}

/** A push of GitHub, whose delivery is taken, and what became of it. */
export async function push(
  world: Asking,
  integrationId: string,
  id: string,
  payload: Parameters<typeof pushPayload>[0],
) {
  const body = JSON.stringify(pushPayload(payload));
  const answer = await deliver(world, { integrationId, body, headers: fromGitHub(body, id) });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer));
  const taken = pushDeliveryView.parse(answer.body);
  const { resources } = await deliveries(world, integrationId, { limit: '100' });
  const found = resources.find((delivery) => delivery.id === taken.id);
  if (found === undefined) throw new Error(`delivery ${taken.id} is not listed`);
  return found;
}

export const deliveries = ({ deps, caller }: Asking, integrationId: string, query = {}) =>
  listDeliveries(
    deps,
    { params: { integration_id: integrationId }, query: deliveriesRow.query.parse(query) },
    caller,
  );
