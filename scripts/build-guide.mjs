import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { Marked } from 'marked';

/** The documentation as the service shows it at `/docs/guide`: from the same files as in the repository. */
const BUILT = 'dist/guide';
const CHANGES = 'CHANGELOG.md';
/** Files that the service has elsewhere, relative to the guide. */
const SERVED = { 'openapi.json': '../../openapi.json' };

const documents = readdirSync('docs').filter((name) => name.endsWith('.md'));
const images = readdirSync('docs').filter((name) => name.endsWith('.png'));
/** The titles of files, which replace their names as the texts of links. */
const titles = new Map(
  [...documents.map((name) => `docs/${name}`), CHANGES].map((path) => [
    posix.basename(path),
    /^# (.*)$/m.exec(readFileSync(path, 'utf8'))[1],
  ]),
);
const nameOf = (path) => (path === CHANGES ? 'changelog' : posix.basename(path, '.md'));
const pathOf = new Map(
  [...documents.map((name) => `docs/${name}`), CHANGES].map((path) => [path, nameOf(path)]),
);

/** Where a link of a file leads in the guide. Undefined if the service does not have it. */
function targetOf(href, file) {
  if (/^https?:/.test(href) || href.startsWith('#')) return href;
  const [path, fragment] = posix.join(posix.dirname(file), href).split('#');
  const target = pathOf.get(path) ?? SERVED[path];
  return target && target + (fragment ? `#${fragment}` : '');
}

/** As GitHub makes them, so that links to a heading work in both places. */
const idOf = (text) =>
  text
    .toLowerCase()
    .replaceAll(/<[^>]*>|[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

function htmlOf(markdown, file) {
  const renderer = {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${idOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, text: shown, tokens }) {
      const target = targetOf(href, file);
      const text = titles.get(posix.basename(shown)) ?? this.parser.parseInline(tokens);
      return target ? `<a href="${target}">${text}</a>` : text;
    },
    image: ({ href, text }) => `<img src="${posix.basename(href)}" alt="${text}">`,
    table(token) {
      const row = (cells, tag) =>
        `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
      return (
        `<div class="scrolls" tabindex="0"><table><thead>${row(token.header, 'th')}</thead>` +
        `<tbody>${token.rows.map((cells) => row(cells, 'td')).join('')}</tbody></table></div>`
      );
    },
  };
  return new Marked({ renderer }).parse(markdown);
}

const pages = Object.fromEntries(
  [...pathOf].map(([path, name]) => {
    const markdown = readFileSync(path, 'utf8');
    return [name, { title: titles.get(posix.basename(path)), html: htmlOf(markdown, path) }];
  }),
);
const [, list] = /^## Read on\n\n((?:- .*\n)+)/m.exec(readFileSync('README.md', 'utf8'));
/** The entries that begin with a page of the guide. What follows a semicolon is elsewhere. */
const contents = list
  .split('\n')
  .filter((entry) => targetOf(/\]\((.+?)\)/.exec(entry)?.[1] ?? '', 'README.md'))
  .map((entry) => entry.split('; ')[0])
  .join('\n');

mkdirSync(BUILT, { recursive: true });
for (const name of images) copyFileSync(`docs/${name}`, `${BUILT}/${name}`);
writeFileSync(
  `${BUILT}/guide.json`,
  JSON.stringify({ contents: htmlOf(contents, 'README.md'), images, pages }),
);
