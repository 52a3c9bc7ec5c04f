import { useState } from 'preact/hooks';

/** The values of a form, and a way to set each: `set('name')('new')`. */
export function useForm<T extends object>(initial: T | (() => T)) {
  const [values, setValues] = useState(initial);
  const set =
    <K extends keyof T>(field: K) =>
    (value: T[K]) =>
      setValues((before) => ({ ...before, [field]: value }));
  return { values, set };
}
