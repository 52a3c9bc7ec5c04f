import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { restored } from './dynamodb/free-keys.ts';
import type { Item } from './dynamodb/transact.ts';

/** An item as records of the stream hold it. */
export type Image = Record<string, AttributeValue>;

export const itemOf = (image: Image): Item => restored(unmarshall(image)) as Item; // an object of ours stays one
