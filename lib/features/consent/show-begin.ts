import type { Page, PageRequest } from '../../contract/browser/page.ts';
import type { Deps } from '../../core/deps.ts';
import { findOrganization } from '../tenants/store.ts';
import { isInBrowserOf, pathParameter, providerOf, requestOfNonce } from './find-request.ts';
import { beginPage, otherBrowserPage, overPage } from './pages.ts';
import { formTokenOf } from './secrets.ts';

/**
 * Shows who asks for access to what. Changes nothing, so that previews of links and scanners of mail change
 * nothing.
 */
export async function showBegin(
  deps: Pick<Deps, 'table' | 'clock'>,
  request: Pick<PageRequest, 'params' | 'cookies' | 'baseUrl'>,
): Promise<Page> {
  const found = await requestOfNonce(deps, pathParameter(request, 'nonce'));
  if (found === undefined) return overPage();
  const { item, ticket } = found;
  if (item.stage !== 'created' && item.stage !== 'consenting') return overPage();
  if (item.stage === 'consenting' && !isInBrowserOf(item, request)) return otherBrowserPage();
  const provider = await providerOf(deps, item);
  if (provider === undefined) return overPage();
  const named = await findOrganization(deps.table, item.organization_id);
  const facts = {
    providerName: provider.name,
    providerHost: new URL(provider.auth_url).host,
    organization: named?.name ?? item.organization_id,
    owner: item.owner_id,
    scopes: item.scopes,
    claims: { userId: item.user_id, agentId: item.agent_id },
    isStrict: item.user_binding === 'strict',
  };
  return beginPage(facts, formTokenOf(ticket));
}
