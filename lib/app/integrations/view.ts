import type { IntegrationView } from '../../contract/integrations.ts';
import type { Integration } from '../../store/integrations.ts';

export const toIntegrationView = (item: Integration): IntegrationView => ({
  id: item.id,
  type: item.type,
  name: item.name,
  host: item.host,
  has_webhook_secret: item.has_webhook_secret,
  submodules: item.submodules ?? false,
  created_at: item.created_at,
  created_by: item.created_by,
});
