const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The tenant that a header names. It becomes part of a key of the table, where anything but an id would name
 * another kind of item.
 */
export const tenantIdIn = (header: string): string | undefined =>
  ID.test(header) ? header.toLowerCase() : undefined;
