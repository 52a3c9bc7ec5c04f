/**
 * The pages of deployments, in one script that is loaded with the first of them: in several, what they share
 * would be more files.
 */

// Whatever the first page has is one script for all: in part of it, it would be several files to begin with.
import '../app.tsx';
import deployment from '../style/deployment.sheet.css';
import pages from '../style/pages.sheet.css';
import { loadSheet } from '../ui/sheet.ts';

export { DeploymentPage } from './deployment/page.tsx';
export { Palette } from './palette.tsx';
export { RevisionPage } from './revision/page.tsx';

// What the first list does not need of the style.
await Promise.all([pages, deployment].map((sheet) => loadSheet(sheet, import.meta.url)));
