/** What draws charts: a script of its own, which pages without charts do not load. */

// Whatever the first page has is one script for all: in part of it, it would be several files to begin with.
import '../app.tsx';
import sheet from '../style/charts.sheet.css';
import { loadSheet } from '../ui/sheet.ts';

export { MetricsTab } from './deployment/metrics.tsx';
export { ServingCharts } from './deployment/serving-charts.tsx';

await loadSheet(sheet, import.meta.url);
