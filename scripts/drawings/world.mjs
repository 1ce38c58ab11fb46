import { createRequire } from 'node:module';
import { geoArea, geoCentroid, geoEqualEarth, geoPath } from 'd3-geo';
import { feature } from 'topojson-client';

const require = createRequire(import.meta.url);
const WIDTH = 1000;
const ANTARCTICA = 'AQ';
/** In steradians: larger areas without a shape of their own are parts of what is drawn. */
const SMALL = 2e-4;

/** The countries, projected: browsers only draw paths. */
export function world() {
  const shapes = countriesOf('110m').filter(({ code }) => code !== ANTARCTICA);
  const all = { type: 'FeatureCollection', features: shapes.map(({ shape }) => shape) };
  const projection = geoEqualEarth().rotate([-11, 0]).fitWidth(WIDTH, all);
  const path = geoPath(projection).digits(1);
  const drawn = new Set(shapes.map(({ code }) => code));
  const small = countriesOf('50m').filter(
    ({ code, shape }) => code && code !== ANTARCTICA && !drawn.has(code) && geoArea(shape) < SMALL,
  );
  const height = Math.ceil(path.bounds(all)[1][1]);
  const areas = shapes.map(({ code, shape }) => [code, path(shape)]);
  const dots = small.map(({ code, shape }) => [code, ...projection(geoCentroid(shape)).map(Math.round)]);
  return { width: WIDTH, height, areas, dots };
}

/** Countries by their code; those without one are drawn, and stand for nothing. */
function countriesOf(detail) {
  const topology = require(`world-atlas/countries-${detail}.json`);
  return feature(topology, topology.objects.countries).features.map((shape) => ({
    code: codeOf(shape),
    shape,
  }));
}

/** The code of two letters, which locales know for each number of ISO 3166. */
function codeOf({ id, properties }) {
  if (properties.name === 'Kosovo') return 'XK';
  return id === undefined ? '' : (new Intl.Locale(`und-${id}`).region ?? '');
}
