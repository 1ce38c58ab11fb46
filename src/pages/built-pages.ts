import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { type Language, LANGUAGES } from '../../engine/ground/languages';
import { builtFile } from '../../engine/ground/threads/built-file';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};
const EXTENSIONS = { br: '.br', gzip: '.gz' } as const;

type Encoding = keyof typeof EXTENSIONS | 'identity';

interface Asset {
  type: string;
  bytes: Partial<Record<Encoding, Buffer>>;
}

/** The files of a page, by their names under `assets/`. */
export interface Loaded {
  script: string;
  /** The imports of the script. */
  modules: string[];
  /** The styles of imports come first, so that a page's own styles prevail. */
  styles: string[];
  /** The script waits for the texts of its language, which is most often that of the request. */
  texts: Record<Language, string>;
  /** A script that must run before the page is painted. */
  theme: string;
  icon: string;
}

type Manifest = Record<string, { file: string; css?: string[]; imports?: string[] }>;

/** The build of `web`: files whose names depend on their content. */
@Injectable()
export class BuiltPages {
  private readonly assets = new Map<string, Asset>();
  private readonly manifest: Manifest;

  constructor() {
    const folder = builtFile('web/assets');
    for (const name of readdirSync(folder)) {
      const type = TYPES[extname(name)];
      if (type) this.assets.set(name, { type, bytes: bytesOf(join(folder, name)) });
    }
    this.manifest = JSON.parse(readFileSync(builtFile('web/manifest.json'), 'utf8')) as Manifest;
  }

  asset(name: string): Asset | undefined {
    return this.assets.get(name);
  }

  /** The file that was built from a source. */
  fileOf(source: string): string {
    return this.manifest[source]!.file;
  }

  /** The files of a page, for example `share`. */
  loadedBy(page: string): Loaded {
    const entry = `src/${page}.tsx`;
    const { file, css = [] } = this.manifest[entry]!;
    const chunks = this.importsOf(entry).map((name) => this.manifest[name]!);
    return {
      script: file,
      modules: chunks.map((chunk) => chunk.file),
      styles: [...chunks.flatMap((chunk) => chunk.css ?? []), ...css],
      texts: Object.fromEntries(
        LANGUAGES.map((language) => [language, this.textsIn(language)]),
      ) as Loaded['texts'],
      theme: this.manifest['src/theme.ts']!.file,
      icon: this.manifest['src/shared/icon.svg']!.file,
    };
  }

  private textsIn(language: Language): string {
    return this.manifest[`src/shared/language/${language}.ts`]!.file;
  }

  /** Also those of the imports, each in front of what imports it. Some import each other. */
  private importsOf(name: string, seen = new Set([name])): string[] {
    const { imports = [] } = this.manifest[name]!;
    return imports.flatMap((one) => {
      if (seen.has(one)) return [];
      seen.add(one);
      return [...this.importsOf(one, seen), one];
    });
  }
}

function bytesOf(path: string): Asset['bytes'] {
  const bytes: Asset['bytes'] = { identity: readFileSync(path) };
  for (const [encoding, extension] of Object.entries(EXTENSIONS))
    if (existsSync(path + extension)) bytes[encoding as Encoding] = readFileSync(path + extension);
  return bytes;
}
