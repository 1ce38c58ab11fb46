import { writeFileSync } from 'node:fs';
import { regionsOf } from './areas.mjs';
import { pathsOf } from './drawing.mjs';
import { knownPlaces } from './places.mjs';

const FILE = new URL('../../web/build/regions.json', import.meta.url);
/** A map of fewer regions says nothing. */
const FEWEST = 2;

/** Writes the regions of all countries, one country a line. */
const lines = [...regionsOf(knownPlaces())].sort().flatMap(([country, regions]) => {
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
writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
