export type ProcessDriverOptions = {
  dataFolder: string;
  baseUrl: string;
  apiKey: string;
  /** What the stable URLs begin with: public address and path prefix. */
  agentsUrl: string;
  startTimeoutMilliseconds: number;
  drainMilliseconds: number;
};
