/** Speaking with servers, in a script and a style of their own: who only deploys does not load them. */

// Whatever the first page has is one script for all, as in ../lazy.ts.
import '../../app.tsx';
import deployment from '../../style/deployment.sheet.css';
import chat from '../../style/try.sheet.css';
import { loadSheet } from '../../ui/sheet.ts';

export { TryPage } from './try.tsx';

// The head of the page is that of every page of a deployment.
await Promise.all([deployment, chat].map((sheet) => loadSheet(sheet, import.meta.url)));
