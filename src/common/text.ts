/** The one way in which texts are folded for a search, on both sides and on both databases. */
export function foldCase(text: string): string {
  return text.toLowerCase();
}
