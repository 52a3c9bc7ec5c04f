import type { Integration } from '../../core/items/integrations.ts';
import type { IntegrationView } from './shape.ts';

export const integrationViewOf = (item: Integration): IntegrationView => ({
  id: item.id,
  type: item.type,
  name: item.name,
  host: item.host,
  has_webhook_secret: item.has_webhook_secret,
  submodules: item.submodules ?? false,
  created_at: item.created_at,
  created_by: item.created_by,
});
