import { useContext, useRef, useState } from 'preact/hooks';
import { Refusal } from '../../../lib/client/refusal.ts';
import { type EnvFile, readEnv } from '../../logic/env-file.ts';
import { newSecret, type SecretEdit, sentIndex, withPasted } from '../../logic/secrets.ts';
import { Button } from '../../ui/button.tsx';
import { Refused } from '../../ui/field.tsx';
import { plus } from '../../ui/icons.ts';
import { PasteArea } from './paste-area.tsx';
import { SecretRow } from './secret-row.tsx';

/** A name that the project asks for, and the file that does. */
export type Asked = { name: string; from: string };

type Props = {
  edits: SecretEdit[];
  set: (edits: SecretEdit[]) => void;
  /** What the list is called in the API, as its refusals name it. */
  of: string;
  /** What one of them is called: 'secret'. */
  noun: string;
  asked?: readonly Asked[];
  /** Whether the platform refuses a variable of this name. */
  isReserved: (name: string) => boolean;
};

const RESERVED = 'Slipway sets this variable itself and refuses one of yours. Remove it.';

/**
 * A list of secrets that is edited where it stands, and an area to paste a `.env` file into. A value that was
 * added is kept in memory alone: the page shows how long it is.
 */
export function SecretList({ edits, set, of, noun, asked = [], isReserved }: Props) {
  const [notes, setNotes] = useState<ReadonlyMap<string, string>>(new Map());
  const [said, setSaid] = useState<EnvFile>();
  const problems = useRowProblems(of);
  const foot = useRef<HTMLDivElement>(null);
  const without = (index: number) => edits.filter((_, at) => at !== index);
  const change = (index: number, changes: Partial<SecretEdit>) => {
    const { name = '', value } = changes;
    // A new one with the name of another one is a new value of that one.
    if (typeof value === 'string' && without(index).some((each) => each.name === name))
      return set(withPasted(without(index), [{ name, value }]));
    return set(edits.map((edit, at) => (at === index ? { ...edit, ...changes } : edit)));
  };
  const paste = (text: string) => {
    const read = readEnv(text);
    setSaid(read);
    setNotes(new Map(read.entries.flatMap(({ name, note }) => (note === undefined ? [] : [[name, note]]))));
    set(withPasted(edits, read.entries));
  };
  return (
    <>
      <div class="secret-list">
        <PasteArea noun={noun} onText={paste} />
        {edits.length > 0 && (
          <ul class="rows">
            {edits.map((edit, index) => (
              <SecretRow
                key={edit.name || `new ${index}`}
                edit={edit}
                noun={noun}
                from={asked.find(({ name }) => name === edit.name)?.from}
                note={notes.get(edit.name)}
                problem={
                  problems.get(sentIndex(edits, index)) ?? (isReserved(edit.name) ? RESERVED : undefined)
                }
                change={(changes) => change(index, changes)}
                drop={() => set(without(index))}
                onClosed={() => foot.current?.querySelector('button')?.focus()}
              />
            ))}
          </ul>
        )}
      </div>
      <Said file={said} noun={noun} />
      <div class="line" ref={foot}>
        <Button isSmall icon={plus} onClick={() => set([...edits, newSecret()])}>
          Add a {noun}
        </Button>
      </div>
    </>
  );
}

/** What the API refused, by the place in the list that was sent. */
function useRowProblems(of: string): ReadonlyMap<number, string> {
  const error = useContext(Refused);
  if (!(error instanceof Refusal)) return new Map();
  return new Map(
    error.fields.flatMap(({ field, text }) => {
      const place = field.startsWith(`${of}.`)
        ? Number(field.slice(of.length + 1).split('.')[0])
        : Number.NaN;
      return Number.isInteger(place) ? [[place, text] as const] : [];
    }),
  );
}

/** What became of a text that was pasted: how much was taken, and the lines that were not. */
function Said({ file, noun }: { file: EnvFile | undefined; noun: string }) {
  const count = file?.entries.length ?? 0;
  return (
    <div role="status" class="env-said">
      {file !== undefined && (
        <p class="meta">{count === 1 ? `1 ${noun} was taken over.` : `${count} ${noun}s were taken over.`}</p>
      )}
      {file?.problems.map(({ line, why }) => (
        <p key={line} class="meta warn">
          Line {line} was left out. {why}
        </p>
      ))}
    </div>
  );
}
