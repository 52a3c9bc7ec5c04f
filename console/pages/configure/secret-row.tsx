import { useEffect, useRef, useState } from 'preact/hooks';
import { lengthText, type SecretEdit } from '../../logic/secrets.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { check, circleMinus, lock, triangleAlert } from '../../ui/icons.ts';
import { Menu } from '../../ui/menu.tsx';

type Props = {
  edit: SecretEdit;
  noun: string;
  /** The file that asks for it. */
  from: string | undefined;
  /** What its writer may not have meant. */
  note: string | undefined;
  /** Why the API refuses it. */
  problem: string | undefined;
  change: (changes: Partial<SecretEdit>) => void;
  drop: () => void;
  /** Called when what is typed was added or cancelled: the field that had the focus is gone. */
  onClosed: () => void;
};

/** One secret: its name, how long its value is, and what can be done with it. */
export function SecretRow(props: Props) {
  const { edit, from, note, problem, change } = props;
  const [isOpen, setOpen] = useState(!edit.isStored && edit.name === '');
  const said = edit.isRemoved ? undefined : (problem ?? note);
  const close = () => {
    setOpen(false);
    props.onClosed();
  };
  if (isOpen) return <OpenRow {...props} close={close} />;
  return (
    <li class={edit.isRemoved ? 'secret removed' : 'secret'}>
      <Sign edit={edit} />
      <code class="cut" title={edit.name}>
        {edit.name}
      </code>
      <span class="cut dim mono">{valueText(edit)}</span>
      <span class="meta line tight">
        {from !== undefined && <span class="wide">asked for by {from}</span>}
        <Actions {...props} open={() => setOpen(true)} keep={() => change({ isRemoved: false })} />
      </span>
      {said !== undefined && <p class={problem === undefined ? 'note' : 'note bad'}>{said}</p>}
    </li>
  );
}

function valueText({ value, isStored, isRemoved }: SecretEdit): string {
  if (isRemoved) return 'Will be removed';
  if (value !== null) return `••••••••  ${lengthText(value)}`;
  return isStored ? '••••••••  Stored' : 'No value yet';
}

function Sign({ edit: { value, isStored, isRemoved } }: Pick<Props, 'edit'>) {
  if (isRemoved) return <Icon of={circleMinus} class="idle" />;
  if (value !== null) return <Icon of={check} class="ok" />;
  return isStored ? <Icon of={lock} class="idle" /> : <Icon of={triangleAlert} class="warn" />;
}

function Actions({ edit, change, drop, open, keep }: Props & { open: () => void; keep: () => void }) {
  const { name, value, isStored, isRemoved } = edit;
  if (isRemoved)
    return (
      <Button isSmall onClick={keep}>
        Keep
      </Button>
    );
  if (value === null && !isStored)
    return (
      <Button isSmall onClick={open}>
        Add value
      </Button>
    );
  const undo =
    isStored && value !== null
      ? [{ title: 'Keep the stored value', onChoose: () => change({ value: null }) }]
      : [];
  return (
    <Menu
      label={`Actions for ${name}`}
      items={[
        { title: 'Replace the value', onChoose: open },
        ...undo,
        {
          title: 'Remove',
          isDanger: true,
          isApart: true,
          onChoose: () => (isStored ? change({ isRemoved: true, value: null }) : drop()),
        },
      ]}
    />
  );
}

/** The same while a name or a value is typed; the value is typed unseen. */
function OpenRow({ edit, noun, change, drop, close }: Props & { close: () => void }) {
  const [name, setName] = useState(edit.name);
  const [value, setValue] = useState('');
  const first = useRef<HTMLInputElement>(null);
  const isNamed = edit.name !== '';
  useEffect(() => first.current?.focus(), []);
  const isReady = name.trim() !== '' && value !== '';
  const save = () => {
    if (!isReady) return;
    change({ name: name.trim(), value, isRemoved: false });
    close();
  };
  const cancel = () => {
    if (!isNamed) drop();
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    if (event.key === 'Enter') save();
    else cancel();
  };
  return (
    <li class="secret open">
      {isNamed ? (
        <code class="cut">{name}</code>
      ) : (
        <input
          ref={first}
          class="mono"
          aria-label={`Name of the ${noun}`}
          placeholder="NAME"
          autocomplete="off"
          spellcheck={false}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      )}
      <input
        {...(isNamed && { ref: first })}
        type="password"
        aria-label={`Value of ${name.trim() || `the new ${noun}`}`}
        placeholder="Value"
        autocomplete="new-password"
        value={value}
        onInput={({ currentTarget }) => setValue(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span class="line tight">
        <Button isSmall disabled={!isReady} onClick={save}>
          Add
        </Button>
        <Button isSmall kind="quiet" onClick={cancel}>
          Cancel
        </Button>
      </span>
    </li>
  );
}
