import { regionsOf } from './areas.mjs';
import { pathsOf } from './drawing.mjs';
import { knownPlaces } from './places.mjs';

/** A map of fewer regions says nothing. */
const FEWEST = 2;

/** The regions of all countries, one country a line. */
export function regionLines() {
  return [...regionsOf(knownPlaces())].sort().flatMap(([country, regions]) => {
    if (regions.length < FEWEST) return [];
    const paths = pathsOf(regions);
    const drawn = regions
      .map(({ label, german, names }, index) => ({
        label,
        ...(german && { german }),
        names,
        path: paths[index],
      }))
      .filter(({ path }) => path !== '');
    return drawn.length < FEWEST ? [] : [`${JSON.stringify(country)}: ${JSON.stringify(drawn)}`];
  });
}
