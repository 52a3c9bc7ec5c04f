import type { DynamoDBRecord } from 'aws-lambda';
import type { StreamFilter } from '../../store/table.ts';

/** Whether a consumer with these filters is called with a record, as Lambda judges it by the patterns that the infrastructure makes of them. */
export const fits = (record: DynamoDBRecord, filters: readonly StreamFilter[]): boolean =>
  filters.some(({ on, image, entities, audited }) => {
    const item = record.dynamodb?.[image];
    if (item === undefined) return false;
    return (
      (on === undefined || on.some((name) => name === record.eventName)) &&
      (entities === undefined || entities.includes(item.entity?.S ?? '')) &&
      (audited === undefined || item.audit?.M?.id?.S !== undefined)
    );
  });
