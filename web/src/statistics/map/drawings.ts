/** What is loaded when a map is opened. */
export { RegionMap } from './regions/region-map';
export { hasRegions } from './regions/regions';
export { WorldMap } from './world-map';
