import { geoAzimuthalEqualArea, geoArea, geoCentroid, geoPath } from 'd3-geo';
import { merge } from 'topojson-client';
import { topology } from 'topojson-server';
import { filter, filterWeight, presimplify, simplify } from 'topojson-simplify';

/** The box of a map, which all countries fit into. */
export const [WIDTH, HEIGHT] = [1000, 525];
const MARGIN = 8;
/** Parts that are farther away than this from the largest one, in degrees, are drawn in a corner. */
const FAR = 4;
/** Larger parts stay where they are. */
const MAIN = 0.25;
/** Of the largest part: smaller ones may lie outside of the map. */
const FEW = 0.004;
const INSET = 150;
/** In square pixels: what is smaller is not seen. */
const [DETAIL, ISLAND] = [1.6, 5];

/** The paths of a country's regions, in their order; empty where one is too small to be seen. */
export function pathsOf(regions) {
  const parts = regions.flatMap(({ areas }, index) => areas.flatMap((area) => partsOf(area, index)));
  const places = placed(parts);
  const objects = Object.fromEntries(
    parts.map((part, index) => [
      index,
      { type: 'Polygon', coordinates: places[index]?.(part) ?? [], region: part.region },
    ]),
  );
  for (const [key, { coordinates }] of Object.entries(objects))
    if (coordinates.length === 0) delete objects[key];
  const whole = presimplify(topology(objects, 1e4));
  const few = simplify(whole, DETAIL);
  const seen = filter(few, filterWeight(few, ISLAND));
  return regions.map((_, index) => {
    const own = Object.entries(objects).flatMap(([key, { region }]) => (region === index ? [key] : []));
    const shown = own.map((key) => seen.objects[key]).filter(({ type }) => type !== null);
    const shapes = shown.length > 0 ? [seen, shown] : [few, own.map((key) => few.objects[key])];
    return pathOf(merge(...shapes).coordinates);
  });
}

function partsOf({ polygons }, region) {
  return polygons.map(({ rings }) => {
    // d3 takes rings the other way round for all but their inside.
    const shape = { type: 'Polygon', coordinates: rings };
    const own =
      geoArea(shape) > 2 * Math.PI
        ? { ...shape, coordinates: rings.map((ring) => [...ring].reverse()) }
        : shape;
    return { region, shape: own, area: geoArea(own), middle: geoCentroid(own) };
  });
}

/** How each part is brought onto the map: with its cluster, and clusters that are far away in a row below. */
function placed(parts) {
  const clusters = clustersOf(parts);
  const [main, ...others] = clusters;
  const isFar = (cluster) => areaOf(cluster) < MAIN * areaOf(main);
  const near = [main, ...others.filter((cluster) => !isFar(cluster))].flat();
  const drawn = new Set(near.map(({ region }) => region));
  // Far islands of a region that is there already are left out.
  const far = others.filter((cluster) => isFar(cluster) && cluster.some(({ region }) => !drawn.has(region)));
  const result = [];
  const fit = (cluster, box) => {
    const project = projected(cluster, box);
    for (const part of cluster) result[parts.indexOf(part)] = project;
  };
  fit(near, [
    [MARGIN, MARGIN],
    [WIDTH - MARGIN, HEIGHT - MARGIN],
  ]);
  far.forEach((cluster, index) => {
    const left = MARGIN + (index % 6) * (INSET + MARGIN);
    fit(cluster, [
      [left, HEIGHT - MARGIN - INSET],
      [left + INSET, HEIGHT - MARGIN],
    ]);
  });
  return result;
}

const areaOf = (cluster) => cluster.reduce((all, { area }) => all + area, 0);

/** Parts that are near one another, the largest cluster first. */
function clustersOf(parts) {
  const left = new Set(parts);
  const clusters = [];
  for (const first of parts) {
    if (!left.delete(first)) continue;
    const cluster = [first];
    for (const part of cluster)
      for (const other of left)
        if (isNear(part, other)) {
          left.delete(other);
          cluster.push(other);
        }
    clusters.push(cluster);
  }
  return clusters.sort((one, other) => areaOf(other) - areaOf(one));
}

function isNear(one, other) {
  const gap = (axis) => {
    const [a, b] = [one, other].map(({ shape }) => shape.coordinates[0].map((point) => point[axis]));
    const distance = Math.max(Math.min(...a) - Math.max(...b), Math.min(...b) - Math.max(...a), 0);
    return axis === 0
      ? Math.min(distance, Math.max(0, 360 - (Math.max(...a, ...b) - Math.min(...a, ...b))))
      : distance;
  };
  return Math.max(gap(0) * Math.cos((one.middle[1] * Math.PI) / 180), gap(1)) < FAR;
}

function projected(cluster, box) {
  const largest = Math.max(...cluster.map(({ area }) => area));
  const large = cluster.filter(({ area }) => area > FEW * largest);
  const whole = { type: 'MultiPolygon', coordinates: large.map(({ shape }) => shape.coordinates) };
  const [longitude, latitude] = geoCentroid(whole);
  const projection = geoAzimuthalEqualArea().rotate([-longitude, -latitude]).fitExtent(box, whole);
  const [[left, top], [right, bottom]] = box;
  const isIn = ([x, y]) => x >= left - 1 && y >= top - 1 && x <= right + 1 && y <= bottom + 1;
  return ({ shape }) => {
    const rings = ringsOf(geoPath(projection).digits(2)(shape));
    return rings[0]?.every(isIn) ? rings : [];
  };
}

function ringsOf(path) {
  return (path ?? '')
    .split('M')
    .slice(1)
    .map((ring) => {
      const points = ring
        .replace('Z', '')
        .split('L')
        .map((point) => point.split(',').map(Number));
      return [...points, points[0]];
    })
    .filter((ring) => ring.length > 3);
}

/** Whole pixels, each point from the one before: half as many bytes. */
function pathOf(polygons) {
  return polygons
    .flat()
    .map((ring) => {
      const points = ring.map((point) => point.map(Math.round));
      const steps = points.slice(1, -1).map(([x, y], index) => [x - points[index][0], y - points[index][1]]);
      const moves = steps.filter(([x, y]) => x !== 0 || y !== 0);
      return moves.length < 2
        ? ''
        : `M${points[0]}l${moves
            .map((move) => move.join(' ').replace(' -', '-'))
            .join(' ')
            .replaceAll(' -', '-')}z`;
    })
    .join('');
}
