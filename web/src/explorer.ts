/** Starts the explorer of the API. */
interface Sent {
  url: string;
  headers: Record<string, string>;
}

declare const SwaggerUIBundle: (options: object) => unknown;

/** The folder of the service, which a proxy may have below a path. */
const ROOT = new URL(/* @vite-ignore */ '..', import.meta.url);
/** The routes that take a session in the place of a key. */
const ROUTES = /^api\/v1\/(?=(?:websites|stats|keys|me|webhooks|names)(?:[/?]|$))/;

async function tokenOfSession(): Promise<string | undefined> {
  const answer = await fetch(new URL('console/api/session', ROOT));
  if (!answer.ok) return undefined;
  const { data } = (await answer.json()) as { data: { token: string } };
  return data.token;
}

/** Whoever is signed in needs no key. A key that was entered all the same is what is tried. */
function withSession(sent: Sent, token: string): Sent {
  const { href } = new URL(sent.url, ROOT);
  if (!href.startsWith(ROOT.href) || 'Authorization' in sent.headers) return sent;
  const path = href.slice(ROOT.href.length);
  if (!ROUTES.test(path)) return sent;
  sent.url = new URL(path.replace(ROUTES, 'console/api/'), ROOT).href;
  sent.headers['X-Milepost-Token'] = token;
  return sent;
}

const place = document.getElementById('explorer')!;
const token = place.dataset.signedIn === undefined ? undefined : await tokenOfSession();

SwaggerUIBundle({
  domNode: place,
  url: new URL('docs/openapi.json', ROOT).href,
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  // The shown command has the path and the key of the API, and never the token of a session.
  showMutatedRequest: false,
  requestInterceptor: (sent: Sent) => (token === undefined ? sent : withSession(sent, token)),
});

export {};
