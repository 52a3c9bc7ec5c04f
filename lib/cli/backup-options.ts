import { embeddedRows } from '../settings/embedded.ts';
import { OptionsError } from './options-error.ts';

export type BackupCommand = { json: boolean; dataFolder: string } & (
  | { kind: 'backup'; to: string }
  | { kind: 'restore'; from: string }
);

type Given = { to?: string; from?: string; json?: boolean; 'data-dir'?: string };
type Surroundings = { environment: NodeJS.ProcessEnv; isFolder: (path: string) => boolean };

/** What each of these commands takes, and how it is read. */
export const backupCommands = {
  backup: { takes: ['data-dir', 'json', 'to'], read: backupOf },
  restore: { takes: ['data-dir', 'json', 'from'], read: restoreOf },
} as const;

function backupOf(
  { to, json, 'data-dir': given }: Given,
  { environment, isFolder }: Surroundings,
): BackupCommand {
  const dataFolder = given ?? embeddedRows.dataDir.schema.parse(environment.SLIPWAY_DATA_DIR);
  if (!isFolder(dataFolder))
    throw new OptionsError(
      `There is no folder ${dataFolder || "''"}. Name the data of npm start, or of a listener, with --data-dir.`,
    );
  return { kind: 'backup', json: json === true, dataFolder, to: folderOf(to, '--to') };
}

/** Where to is said: no data folder is taken by chance. */
function restoreOf({ from, json, 'data-dir': dataFolder }: Given): BackupCommand {
  return {
    kind: 'restore',
    json: json === true,
    dataFolder: folderOf(dataFolder, '--data-dir'),
    from: folderOf(from, '--from'),
  };
}

function folderOf(given: string | undefined, argument: string): string {
  if (given === undefined || given === '') throw new OptionsError(`${argument} FOLDER is required.`);
  return given;
}
