import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

const TYPING_MILLISECONDS = 200;

type Props = {
  label: string;
  placeholder: string;
  text: string;
  set: (text: string) => void;
  /** It has come in the place of a button. */
  isFocused?: boolean;
};

/** Searches for what is typed, once there is a pause. `text`: what is searched for now, by the address. */
export function SearchField({ label, placeholder, text, set, isFocused = false }: Props) {
  const field = useRef<HTMLInputElement>(null);
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
  useLayoutEffect(() => {
    if (isFocused) field.current?.focus();
  }, []);
  return (
    <input
      ref={field}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      aria-keyshortcuts="/"
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
    />
  );
}
