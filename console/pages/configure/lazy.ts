/** The pages that configure what is deployed and from where, in one script with their style. */

// Whatever the first page has is one script for all: in part of it, it would be several files to begin with.
import '../../app.tsx';
import configure from '../../style/configure.sheet.css';
import deployment from '../../style/deployment.sheet.css';
import pages from '../../style/pages.sheet.css';
import { loadSheet } from '../../ui/sheet.ts';

export { IntegrationPage } from '../connections/integration.tsx';
export { NewIntegration } from '../connections/new-integration.tsx';
export { NewDeployment } from '../new-deployment.tsx';
export { SettingsPage } from '../settings.tsx';

// What the first list does not need of the style.
await Promise.all([pages, deployment, configure].map((sheet) => loadSheet(sheet, import.meta.url)));
