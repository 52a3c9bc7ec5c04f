import { functionRows, managingRows } from '../contract/functions.ts';
import { routes } from '../contract/routes/index.ts';

/** Answers what no route takes. */
export const fallbackHandler = 'functions/api/fallback.ts';

/** Every handler that is deployed, each once. */
export const handlers = (): string[] => [
  ...new Set([
    ...routes.map(({ handler }) => handler),
    fallbackHandler,
    ...Object.values({ ...functionRows, ...managingRows }).map(({ handler }) => handler),
  ]),
];
