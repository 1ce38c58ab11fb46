import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { builtFile } from '../engine/ground/threads/built-file';
import { DAY_MS, dayText } from '../engine/ground/time/days';
import { firstAccepted, SharedAnswer } from './http/answers/compression';
import { BuiltPages } from './pages/built-pages';
import { ConsoleSessions } from './pages/console/console-sessions';
import { rootOf } from './pages/page-problem.filter';

/** The explorer sets styles on elements, and has pictures in its style sheet. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = (root: string, script: string, isSignedIn: boolean) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light">
    <title>Milepost API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${root}docs/swagger-ui.css">
    <style>
      body { margin: 0; background: #fff; }
      .bar { display: flex; flex-wrap: wrap; gap: 4px 24px; padding: 12px 20px; border-bottom: 1px solid #e4e7ee;
        font: 14px system-ui, sans-serif; }
      .bar a { color: #161a23; }
      .swagger-ui .info { margin: 24px 0; }
    </style>
  </head>
  <body>
    <header class="bar">
      <a href="${root}">‹ Back to Milepost</a>
      <a href="${root}docs/guide/api">Guide to the API</a>
      ${isSignedIn ? '<span>You are signed in, so requests need no key.</span>' : ''}
    </header>
    <div id="explorer"${isSignedIn ? ' data-signed-in' : ''}></div>
    <script src="${root}docs/swagger-ui.js"></script>
    <script type="module" src="${root}${script}"></script>
  </body>
</html>
`;

const FILES = ['swagger-ui.js', 'swagger-ui.css'];
const ENDINGS = { br: '.br', gzip: '.gz', identity: '' } as const;

/** The page on which the API can be read and tried. */
export function serveExplorer(
  app: INestApplication,
  get: (path: string, handler: (request: Request, response: Response) => unknown) => void,
  document: () => OpenAPIObject,
): void {
  const [pages, sessions] = [app.get(BuiltPages), app.get(ConsoleSessions)];
  get('/docs', async (request: Request, response: Response) => {
    const isSignedIn = (await sessions.keyIn(request.get('Cookie')).catch(() => undefined)) !== undefined;
    response
      .set({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store' })
      .type('html')
      .send(page(rootOf(request.path), pages.fileOf('src/explorer.ts'), isSignedIn));
  });
  for (const name of FILES)
    get(`/docs/${name}`, (request: Request, response: Response) => sendFile(name, request, response));
  const documents = new DocumentsOfDay(document);
  get('/docs/openapi.json', (request: Request, response: Response) => documents.send(request, response));
}

function sendFile(name: string, request: Request, response: Response): void {
  const encoding = firstAccepted(request, ['br', 'gzip']);
  response.vary('Accept-Encoding').type(name);
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  response.sendFile(builtFile(`explorer/${name}${ENDINGS[encoding]}`), { maxAge: '1h' });
}

class DocumentsOfDay {
  private day = NaN;
  private answer: SharedAnswer | undefined;

  constructor(private readonly document: () => OpenAPIObject) {}

  send(request: Request, response: Response): void {
    const today = Math.floor(Date.now() / DAY_MS);
    if (today !== this.day) this.answer = undefined;
    this.day = today;
    this.answer ??= new SharedAnswer(() => JSON.stringify(explorerDocument(this.document(), today)));
    this.answer.send(request, response.type('json'));
  }
}

const DEMO_DAYS = 60;

/**
 * The document for the explorer. Its example range is that of `npm run demo`. It omits the contact, which linters
 * require but readers do not need.
 */
function explorerDocument(document: OpenAPIObject, to: number): OpenAPIObject {
  const examples = new Map([
    ['from', dayText(to - DEMO_DAYS + 1)],
    ['to', dayText(to)],
  ]);
  const shown = structuredClone(document);
  delete shown.info.contact;
  for (const { get } of Object.values(shown.paths))
    for (const parameter of get?.parameters ?? [])
      if ('name' in parameter && examples.has(parameter.name))
        Object.assign(parameter.schema!, { example: examples.get(parameter.name) });
  return shown;
}
