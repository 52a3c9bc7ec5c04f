/** Speaking with servers, in a script and a style of their own: who only deploys does not load them. */

// Whatever the first page has is one script for all, as in ../lazy.ts.
import '../../app.tsx';
import sheet from '../../style/try.sheet.css';
import { loadSheet } from '../../ui/sheet.ts';

export { TryPage } from './try.tsx';

await loadSheet(sheet, import.meta.url);
