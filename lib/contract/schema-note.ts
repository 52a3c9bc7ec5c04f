/** What the OpenAPI document says of a field beside what its schema says. */
export type Note = {
  description?: string;
  minimum?: number;
  multipleOf?: number;
  pattern?: string;
  format?: string;
};
