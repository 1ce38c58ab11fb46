import { patience } from '../../dist/src/common/time/patience.js';

/** Preloaded into the programs of tests. */
Object.assign(patience, JSON.parse(process.env.PATIENCE));
