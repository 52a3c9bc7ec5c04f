import { packedId } from '../../../lib/core/items/deployment-rows.ts';
import type { Item } from '../../../lib/store/dynamodb/transact.ts';
import { feedCountKey, feedEventKey } from '../../../lib/store/keys/events.ts';

/** A deployment, and where it lies. */
export type Place = { tenantId: string; listenerId: string };
export type Copied = Place & { deploymentId: string; name: string };

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Another id of the same age and, of a revision, of the same number. */
export const idOfCopy = (id: string, copy: number): string => {
  const digits = copy.toString(16).padStart(7, '0');
  return `${id.slice(0, 20)}${digits.slice(0, 3)}-${digits.slice(3)}${id.slice(28)}`;
};

/** Texts in keys and values, changed; everything else as it is. */
function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((member) => withTexts(member, change));
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array || value instanceof Set) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [change(key), withTexts(member, change)]),
  );
}

/**
 * So many copies of all that use cases have stored of a deployment, each under ids of its own, for tables
 * that are too full to be filled by requests: they have the form in which they were written. `placeOf` says
 * where each lies, counted from 1. Events of a tenant are numbered behind those it has. Nothing of a copy is
 * due: sweep has had its last look at what ended an hour ago.
 */
export function copiesOf(
  stored: readonly Item[],
  of: Copied,
  count: number,
  placeOf: (copy: number) => Place,
): Item[] {
  const isOfIt = (item: Item) => JSON.stringify(item).includes(of.deploymentId);
  const template = stored.filter(isOfIt);
  // Who did it is the same in each.
  const others = JSON.stringify(stored.filter((item) => !isOfIt(item)));
  const kept = new Set(others.match(UUID));
  const numbers = new Map([[of.tenantId, template.filter(isFeedEvent).length]]);
  const numbered = (item: Item, tenantId: string): Item => {
    const number = (numbers.get(tenantId) ?? 0) + 1;
    numbers.set(tenantId, number);
    return { ...item, ...feedEventKey(tenantId, number), number };
  };
  const copies = Array.from({ length: count }, (_none, at) => {
    const [copy, place] = [at + 1, placeOf(at + 1)];
    const text = textOfCopy(of, copy, place, kept);
    return template.map((item) => {
      const { due_pk: _, due_at: __, ...lasting } = item;
      const made = withTexts(lasting, text) as Item; // an item with other texts
      return isFeedEvent(item) ? numbered(made, place.tenantId) : made;
    });
  });
  return [...copies.flat(), ...[...numbers].map(([tenantId, number]) => feedCountOf(tenantId, number))];
}

const isFeedEvent = ({ entity }: Item): boolean => entity === 'feed_event';

const feedCountOf = (tenant_id: string, count: number): Item => ({
  ...feedCountKey(tenant_id),
  ...{ v: 1, entity: 'feed_count', tenant_id, count, version: count },
});

function textOfCopy(of: Copied, copy: number, place: Place, kept: ReadonlySet<string>) {
  const places = new Map([
    [of.tenantId, place.tenantId],
    [of.listenerId, place.listenerId],
  ]);
  const idOf = (id: string) => places.get(id) ?? (kept.has(id) ? id : idOfCopy(id, copy));
  const packed = [of.listenerId, of.deploymentId].map((id) => [packedId(id), packedId(idOf(id))] as const);
  return (given: string): string =>
    packed
      .reduce((text, [from, to]) => text.replaceAll(from, to), given.replaceAll(UUID, idOf))
      .replaceAll(of.name, `${of.name}-${copy}`);
}
