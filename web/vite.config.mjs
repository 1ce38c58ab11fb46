import { defineConfig } from 'vite';
import { icons } from './build/icons.mjs';
import { world } from './build/world.mjs';

/**
 * What pages load at once is one file, and goals are another, because many small files compress badly. All that is
 * loaded when it is opened stays apart.
 */
const GROUPS = [
  {
    name: 'page',
    test: /\/node_modules\/|\/src\/shared\/(?!language\/goals)|\/src\/statistics\/(?!map\/)|virtual:icons/,
  },
  { name: 'goals', test: /\/src\/(?:goals\/(?!funnels|journeys)|shared\/language\/goals\/)/ },
];

/** Names are made from what files hold, so that browsers keep them for ever; `src/pages` serves them. */
export default defineConfig({
  base: './',
  logLevel: 'warn',
  plugins: [icons(), world()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    manifest: 'manifest.json',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: ['src/share.tsx', 'src/console.tsx', 'src/theme.ts'],
      output: { codeSplitting: { groups: GROUPS, includeDependenciesRecursively: false } },
    },
  },
});
