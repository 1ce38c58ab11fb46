import { patience } from '../../dist/engine/ground/time/patience.js';

/** Preloaded into the programs of tests. */
Object.assign(patience, JSON.parse(process.env.PATIENCE));
