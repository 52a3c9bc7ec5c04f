import { useEffect, useState } from 'preact/hooks';

const REST_MILLISECONDS = 500;

/** What a text was when its writer last paused: nothing is asked for each key. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), REST_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
