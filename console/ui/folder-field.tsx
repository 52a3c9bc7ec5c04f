import { useState } from 'preact/hooks';
import { chosenFiles, droppedFiles, type Picked } from '../data/upload.ts';
import { Icon } from './icon.tsx';
import { upload } from './icons.ts';

type Props = {
  picked: readonly Picked[];
  /** `folder`: what the folder is called; '' where several things were dropped. */
  pick: (picked: Picked[], folder: string) => void;
};

/** A folder of this machine, dropped or chosen. */
export function FolderField({ picked, pick }: Props) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer !== null) void takeDropped(event.dataTransfer.items, pick);
      }}
    >
      <p>{picked.length === 0 ? 'Drop a folder here, or choose one.' : countText(picked)}</p>
      <label class="button">
        <Icon of={upload} />
        {picked.length === 0 ? 'Choose a folder' : 'Choose another folder'}
        <input
          class="hidden"
          type="file"
          aria-label="Choose a folder"
          ref={(field) => field?.setAttribute('webkitdirectory', '')}
          onChange={({ currentTarget: { files } }) =>
            files !== null && pick(chosenFiles(files), files[0]?.webkitRelativePath.split('/')[0] ?? '')
          }
        />
      </label>
      <p class="meta">node_modules, .git, virtual environments and .env files are left out.</p>
    </div>
  );
}

async function takeDropped(items: DataTransferItemList, pick: Props['pick']): Promise<void> {
  // Read before anything is awaited: the list is empty afterwards.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  const [first] = entries;
  pick(await droppedFiles(items), entries.length === 1 && first?.isDirectory === true ? first.name : '');
}

const KB = 1000;

function countText(picked: readonly Picked[]): string {
  const size = picked.reduce((sum, { file }) => sum + file.size, 0);
  const kilobytes = Math.ceil(size / KB).toLocaleString('en');
  return `${picked.length.toLocaleString('en')} ${picked.length === 1 ? 'file' : 'files'}, ${kilobytes} kB`;
}
