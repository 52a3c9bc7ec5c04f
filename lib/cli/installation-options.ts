import { OptionsError } from './options-error.ts';

/** About an installation as a whole, which has no table before it is deployed. */
export type InstallationCommand = {
  kind: 'settings' | 'preflight';
  at: { environment: string; region: string | undefined };
  json: boolean;
  compute: 'fargate' | undefined;
};

type Given = { environment?: string; region?: string; json?: boolean; compute?: string };

/** What each of these commands takes, and how it is read. */
export const installationCommands = {
  settings: { takes: ['region', 'environment', 'json'], read: installationCommand('settings') },
  preflight: { takes: ['region', 'environment', 'compute'], read: installationCommand('preflight') },
} as const;

/** Reads the arguments of a command about an installation. Throws `OptionsError`. */
function installationCommand(kind: InstallationCommand['kind']) {
  return ({ environment = 'prod', region, json, compute }: Given): InstallationCommand => {
    if (!/^[a-z][a-z0-9-]{0,15}$/.test(environment))
      throw new OptionsError(
        `--environment must be the name of an installation, such as prod, not '${environment}'.`,
      );
    if (region === '') throw new OptionsError('--region is empty.');
    if (compute !== undefined && compute !== 'fargate')
      throw new OptionsError(
        `--compute must be fargate, not '${compute}'; without it the installation's own counts.`,
      );
    return { kind, at: { environment, region }, json: json === true, compute };
  };
}
