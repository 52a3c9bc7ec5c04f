import { isRecord } from '../../logic/chat/json.ts';
import { Icon } from '../../ui/icon.tsx';
import { chevronRight } from '../../ui/icons.ts';

/** So many members of one value are shown. */
const MEMBERS_MAX = 200;
const TEXT_MAX = 5_000;

/** A value as a tree that opens: its members by name, and texts as they are. `depth`: how far it is open. */
export function Tree({ value, depth = 1 }: { value: unknown; depth?: number }) {
  const members = membersOf(value);
  if (members === undefined) return <Leaf value={value} />;
  if (members.length === 0) return <span class="tree-leaf d">{Array.isArray(value) ? '[ ]' : '{ }'}</span>;
  return (
    <ul class="tree">
      {members.slice(0, MEMBERS_MAX).map(([name, member]) => (
        <Member key={name} name={name} value={member} depth={depth} />
      ))}
      {members.length > MEMBERS_MAX && (
        <li class="d">and {(members.length - MEMBERS_MAX).toLocaleString('en')} more</li>
      )}
    </ul>
  );
}

function Member({ name, value, depth }: { name: string; value: unknown; depth: number }) {
  const members = membersOf(value);
  if (members === undefined || members.length === 0)
    return (
      <li>
        <span class="tree-name">{name}</span> <Tree value={value} />
      </li>
    );
  return (
    <li>
      <details open={depth > 0}>
        <summary>
          <Icon of={chevronRight} />
          <span class="tree-name">{name}</span>
          <span class="d">{sizeOf(value, members.length)}</span>
        </summary>
        <Tree value={value} depth={depth - 1} />
      </details>
    </li>
  );
}

const membersOf = (value: unknown): [string, unknown][] | undefined =>
  Array.isArray(value) || isRecord(value) ? Object.entries(value) : undefined;

const sizeOf = (value: unknown, count: number): string =>
  Array.isArray(value)
    ? `${count} ${count === 1 ? 'item' : 'items'}`
    : `${count} ${count === 1 ? 'field' : 'fields'}`;

function Leaf({ value }: { value: unknown }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const look = typeof value === 'string' ? 't' : value === null ? 'd' : 'k';
  return (
    <span class={`tree-leaf ${look}`}>
      {text.slice(0, TEXT_MAX)}
      {text.length > TEXT_MAX && '…'}
    </span>
  );
}
