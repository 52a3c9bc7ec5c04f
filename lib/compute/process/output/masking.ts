import { createMask, type Mask } from '../../../contract/mask.ts';
import { type HiddenFolder, pathHiding } from '../../../processes/hidden-paths.ts';

/** What clients read nothing of: values of secrets, and folders of this machine. */
export type Masking = { secrets: readonly string[]; folders: readonly HiddenFolder[] };

/** Takes secrets and paths of this machine out of what clients read. */
export function maskOf({ secrets, folders }: Masking): Mask {
  const mask = createMask(secrets);
  const hide = pathHiding(folders);
  return (text, isCut) => hide(mask(text, isCut));
}
