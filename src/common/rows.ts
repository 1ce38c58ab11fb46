/** A page of a longer list, and how long the whole list is. */
export interface Rows<T> {
  rows: T[];
  total: number;
}
