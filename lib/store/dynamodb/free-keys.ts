/**
 * Objects of a client's own may have any keys. Some cannot be names of attributes: the AWS client fails on
 * `constructor` and loses `__proto__`, and the table takes no empty name. An object with one of these is kept
 * as its JSON text instead, under this name.
 */
const AS_TEXT = '#json';
const NOT_KEPT = ['constructor', '__proto__', '', AS_TEXT];

type Plain = Record<string, unknown>;

function isPlain(value: unknown): value is Plain {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A value with its members changed; the value itself when none has changed. */
function withMembers(value: unknown, change: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    const members = value.map(change);
    return members.some((member, index) => member !== value[index]) ? members : value;
  }
  if (!isPlain(value)) return value;
  const members = Object.entries(value).map(([key, member]) => [key, change(member)] as const);
  return members.some(([key, member]) => member !== value[key]) ? Object.fromEntries(members) : value;
}

/**
 * `value` as the table can keep it. Requests hold whole characters only; a text of ours may have been cut
 * inside one.
 */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (isPlain(value) && NOT_KEPT.some((key) => Object.hasOwn(value, key)))
    return { [AS_TEXT]: JSON.stringify(value) };
  return withMembers(value, storable);
}

/** What `storable` was given. */
export function restored(value: unknown): unknown {
  if (!isPlain(value)) return withMembers(value, restored);
  const { [AS_TEXT]: text } = value;
  return typeof text === 'string' ? JSON.parse(text) : withMembers(value, restored);
}
