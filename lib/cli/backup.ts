import type { BackupCommand } from './backup-options.ts';
import type { CommandResult, World } from './main.ts';

type Summary = { files: number; bytes: number; databases: number };

/** Backups of what a machine keeps. Both throw `Obstacle` with what is in the way. */
export type Backups = {
  backUp(options: { dataFolder: string; to: string }): Promise<Summary>;
  restore(options: { dataFolder: string; from: string }): Promise<Summary & { made_at: string }>;
};

/** Makes a backup, or restores one. */
export const onBackup = (command: BackupCommand, world: World): Promise<CommandResult> =>
  command.kind === 'backup' ? backup(command, world) : restore(command, world);

async function backup(
  { dataFolder, to }: Extract<BackupCommand, { kind: 'backup' }>,
  { backups }: World,
): Promise<CommandResult> {
  const made = await backups.backUp({ dataFolder, to });
  return {
    lines: [['Backup', to], ...linesOf(made)],
    json: { backup: to, ...jsonOf(made) },
    advice: `It has the keys of all secrets: keep it as you keep ${dataFolder}. To use it: npm run slipway -- restore --from ${to} --data-dir <an empty folder>`,
  };
}

async function restore(
  { dataFolder, from }: Extract<BackupCommand, { kind: 'restore' }>,
  { backups }: World,
): Promise<CommandResult> {
  const { made_at, ...restored } = await backups.restore({ dataFolder, from });
  return {
    lines: [['Restored', dataFolder], ['As of', made_at], ...linesOf(restored)],
    json: { data_dir: dataFolder, made_at, ...jsonOf(restored) },
    advice: `Start it there: SLIPWAY_DATA_DIR=${dataFolder} npm start (a listener: with --data-dir ${dataFolder}). Never run it beside the one that the backup was made of.`,
  };
}

const MEGABYTE = 1_000_000;

const linesOf = ({ files, bytes, databases }: Summary): [string, string][] => [
  ['Files', `${files} (${(bytes / MEGABYTE).toFixed(1)} MB)`],
  ['Databases of agents', String(databases)],
];

const jsonOf = ({ files, bytes, databases }: Summary): Record<string, string> => ({
  files: String(files),
  bytes: String(bytes),
  databases: String(databases),
});
