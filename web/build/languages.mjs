const SOURCES = /\/(?:words|shared\/texts)\.ts$/;
const IMPORTS = /^import \{ (de|en) \} from '([^']*\/language\/[\w/]+)';\n/gm;
const CHOICE = /: (?:typeof en|Texts) = \{ [\w, ]+ \}\[language\];/;

/** Lets a browser load the texts of its language alone. The sources, and so tests, have those of all languages. */
export function languages() {
  return {
    name: 'languages',
    enforce: 'pre',
    transform(code, id) {
      if (!SOURCES.test(id)) return null;
      const loads = [...code.matchAll(IMPORTS)].map(([, name, path]) => `${name}: () => import('${path}')`);
      const others = code.replace(IMPORTS, '');
      if (loads.length === 0 || !CHOICE.test(others)) throw new Error(`${id} chooses no language`);
      const loaded = ` = (await { ${loads.join(', ')} }[language]())[language];`;
      return { code: others.replace(CHOICE, loaded), map: null };
    },
  };
}
