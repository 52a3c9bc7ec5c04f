import type { DynamoDBRecord } from 'aws-lambda';
import type { StreamFilter } from '../../store/stream-filters.ts';

type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;

/**
 * Whether a consumer with these filters is called with a record, as Lambda judges it by the patterns that the
 * infrastructure makes of them.
 */
export const fits = (record: DynamoDBRecord, filters: readonly StreamFilter[]): boolean =>
  filters.some(({ on, image, entities, statuses, has }) => {
    const item = record.dynamodb?.[image];
    if (item === undefined) return false;
    return (
      (on === undefined || on.some((name) => name === record.eventName)) &&
      (entities === undefined || entities.includes(item.entity?.S ?? '')) &&
      (statuses === undefined || statuses.includes(item.status?.S ?? '')) &&
      (has === undefined || textAt(item, has) !== undefined)
    );
  });

function textAt(item: Image, [name, ...deeper]: readonly [string, ...string[]]): string | undefined {
  const [next, ...rest] = deeper;
  const value = item[name];
  return next === undefined ? value?.S : textAt(value?.M ?? {}, [next, ...rest]);
}
