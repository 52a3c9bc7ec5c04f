import sheet from '../style/pages.sheet.css';
import { loadSheet } from '../ui/sheet.ts';

// What the first list does not need of the style comes with the first page that does.
await loadSheet(sheet, import.meta.url);
