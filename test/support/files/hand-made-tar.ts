import * as tar from 'tar';

type Entry = {
  path: string;
  type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'GlobalExtendedHeader';
  linkpath?: string;
  /** What the entry says of itself; no content follows. */
  size?: number;
  mode?: number;
};

/** A tar file with entries as given: what no well-meaning program would make. */
export function handMadeTar(...entries: Entry[]): Buffer {
  const blocks = entries.map(({ path, type = 'File', linkpath = '', size = 0, mode = 0o644 }) => {
    const header = new tar.Header({
      path,
      type,
      linkpath,
      mode,
      size,
      mtime: new Date(0),
      uid: 0,
      gid: 0,
    });
    header.encode();
    return header.block ?? Buffer.alloc(512);
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
