import type { INestApplication } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { builtFile } from './common/threads/built-file';
import { DAY_MS, dayText } from './common/time/days';

const CONFIGURATION = {
  pageTitle: 'Milepost API',
  layout: 'modern',
  hideModels: true,
  hideClientButton: true,
  hideTestRequestButton: false,
  persistAuth: true,
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: 'bearer' },
  defaultOpenAllTags: true,
  orderRequiredPropertiesFirst: false,
  orderSchemaPropertiesBy: 'preserve',
};

/** The explorer leaves room for a bar of this height. */
const BAR = '44px';

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Milepost API</title>
    <link rel="icon" href="data:,">
    <style>
      :root { --scalar-custom-header-height: ${BAR}; }
      body { margin: 0; }
      .console-link { position: sticky; top: 0; z-index: 20; display: flex; align-items: center; box-sizing: border-box;
        height: ${BAR}; padding: 0 20px; border-bottom: 1px solid var(--scalar-border-color, #e4e7ee);
        background: var(--scalar-background-1, #fff); font: 14px system-ui, sans-serif; }
      .console-link a { color: var(--scalar-color-1, #161a23); text-decoration: none; }
      .console-link a:hover { text-decoration: underline; }
    </style>
  </head>
  <body>
    <header class="console-link"><a href="/">‹ Back to Milepost</a></header>
    <script id="api-reference" data-url="/docs/openapi.json" data-configuration='${JSON.stringify(CONFIGURATION)}'></script>
    <script src="/docs/explorer.js"></script>
  </body>
</html>
`;

const ENCODED = { br: 'explorer.js.br', gzip: 'explorer.js.gz', identity: 'explorer.js' } as const;

/** The page on which the API can be read and tried. */
export function serveExplorer(app: INestApplication, document: () => OpenAPIObject): void {
  const http = app.getHttpAdapter();
  http.get('/docs', (_: unknown, response: Response) => void response.type('html').send(PAGE));
  http.get('/docs/explorer.js', (request: Request, response: Response) => sendScript(request, response));
  let bytes = Buffer.alloc(0);
  let madeOn = NaN;
  http.get('/docs/openapi.json', (_: unknown, response: Response) => {
    const today = Math.floor(Date.now() / DAY_MS);
    if (today !== madeOn) bytes = Buffer.from(JSON.stringify(explorerDocument(document(), today)));
    madeOn = today;
    response.type('json').send(bytes);
  });
}

function sendScript(request: Request, response: Response): void {
  const encoding = (request.acceptsEncodings(Object.keys(ENCODED)) || 'identity') as keyof typeof ENCODED;
  response.vary('Accept-Encoding').type('js');
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  response.sendFile(builtFile(ENCODED[encoding]), { maxAge: '1h' });
}

type Node = Record<string, unknown>;

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
  const shown = typed(structuredClone(document)) as OpenAPIObject;
  delete shown.info.contact;
  for (const { get } of Object.values(shown.paths))
    for (const parameter of get?.parameters ?? [])
      if ('name' in parameter && examples.has(parameter.name))
        Object.assign(parameter.schema!, { example: examples.get(parameter.name) });
  return shown;
}

/** Scalar warns about each schema without a type or a reference of its own, though OpenAPI requires neither. */
function typed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(typed);
  if (typeof node !== 'object' || node === null) return node;
  const { allOf, ...rest } = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, typed(value)]),
  ) as Node & { allOf?: Node[] };
  if (allOf?.length === 1) return { ...allOf[0], ...rest };
  if (isEmpty(rest.items)) rest.items = { type: ['string', 'array'] };
  const isText = (rest.anyOf as Node[] | undefined)?.every(({ type }) => type === 'string');
  return { ...(allOf && { allOf }), ...(isText && { type: 'string' }), ...rest };
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0;
}
