import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { restored } from './dynamodb/free-keys.ts';
import type { Item } from './dynamodb/transact.ts';

/** An item as records of the stream hold it. */
export type Image = Record<string, AttributeValue>;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object of ours stays one
export const itemOf = (image: Image): Item => restored(unmarshall(image)) as Item;
