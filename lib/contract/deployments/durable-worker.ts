/**
 * In the project's folder of an artifact for the runtime `durable`: the worker that it was built with,
 * whatever version the server has that it runs beside one day.
 */
export const DURABLE_WORKER_FOLDER = '.slipway.worker';
