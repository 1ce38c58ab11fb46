import { defineConfig } from 'vite';
import { icons } from './build/icons.mjs';
import { languages } from './build/languages.mjs';
import { regions } from './build/regions.mjs';
import { world } from './build/world.mjs';

/**
 * What pages load at once is one file, goals are another, and so is what dialogs have in common, because many small
 * files compress badly. All that is loaded when it is opened stays apart.
 */
const GROUPS = [
  {
    name: 'page',
    test: /\/node_modules\/|\/engine\/|\/src\/common\/|\/src\/shared\/(?!language\/(?:\w+\/|problems|de|en))|\/src\/statistics\/(?!map\/)|virtual:icons/,
  },
  { name: 'goals', test: /\/src\/goals\/(?!funnels|journeys)/ },
  { name: 'forms', test: /\/src\/console\/(?:forms\/|client|only|time-text|frame\/toast)/ },
];

/** Names are made from what files hold, so that browsers keep them for ever; `src/pages` serves them. */
export default defineConfig({
  base: './',
  logLevel: 'warn',
  plugins: [icons(), languages(), regions(), world()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    manifest: 'manifest.json',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: ['src/share.tsx', 'src/console.tsx', 'src/explorer.ts', 'src/guide.css', 'src/theme.ts'],
      output: { codeSplitting: { groups: GROUPS, includeDependenciesRecursively: false } },
    },
  },
});
