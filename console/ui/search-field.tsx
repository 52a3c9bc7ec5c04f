import { useEffect, useRef, useState } from 'preact/hooks';

const TYPING_MILLISECONDS = 200;

type Props = { label: string; placeholder: string; text: string; set: (text: string) => void };

/** Searches for what is typed, once there is a pause. `text`: what is searched for now, by the address. */
export function SearchField({ label, placeholder, text, set }: Props) {
  const [typed, setTyped] = useState(text);
  const given = useRef(text);
  useEffect(() => {
    // Our own text comes back by the address; what was typed since then stays.
    if (text === given.current) return;
    given.current = text;
    setTyped(text);
  }, [text]);
  useEffect(() => {
    if (typed === given.current) return undefined;
    const timer = setTimeout(() => {
      given.current = typed;
      set(typed);
    }, TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      aria-keyshortcuts="/"
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}
