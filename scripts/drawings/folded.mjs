/** The name of a region without what databases write differently. */
export function foldedRegion(name) {
  return name
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}
