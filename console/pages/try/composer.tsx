import { useRef, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { arrowUp, square } from '../../ui/icons.ts';

type Props = {
  label: string;
  /** Why nothing can be written now. */
  closed?: string | undefined;
  isRunning: boolean;
  isStopping: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
};

/** Where a message is written. Enter sends it, Shift and Enter begin a line. */
export function Composer({ label, closed, isRunning, isStopping, onSend, onStop }: Props) {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const canSend = text.trim() !== '' && !isRunning && closed === undefined;
  const send = () => {
    if (!canSend) return;
    onSend(text.trim());
    setText('');
    field.current?.focus();
  };
  return (
    <form
      class={closed === undefined ? 'box' : 'box off'}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        aria-label={label}
        placeholder={closed ?? label}
        disabled={closed !== undefined}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {isRunning ? (
        <Button isSmall icon={square} busy={isStopping && 'Stopping'} onClick={onStop}>
          Stop
        </Button>
      ) : (
        <Button type="submit" isSmall icon={arrowUp} label="Send" disabled={!canSend} />
      )}
    </form>
  );
}
