/** The pages of administrators, in one script that is loaded with the first of them. */

// Whatever the first page has is one script for all: in part of it, it would be several files to begin with.
import '../app.tsx';
import sheet from '../style/pages.sheet.css';
import { loadSheet } from '../ui/sheet.ts';

export { Access } from './access/access.tsx';
export { DevicePage } from './access/device.tsx';
export { Audit } from './audit/audit.tsx';
export { Connections } from './connections/connections.tsx';
export { ListenerPage } from './listeners/listener.tsx';
export { Listeners } from './listeners/listeners.tsx';
export { Activity } from './overview/activity.tsx';
export { Topology } from './overview/topology.tsx';
export { WebhookPage } from './webhooks/webhook.tsx';
export { Webhooks } from './webhooks/webhooks.tsx';

// What the first list does not need of the style.
await loadSheet(sheet, import.meta.url);
