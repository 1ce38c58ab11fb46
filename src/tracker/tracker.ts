/** The service refuses longer ones. Browsers hand addresses out in ASCII, so a character is a byte. */
const MAX_ADDRESS_LENGTH = 8192;

/** A module has no `currentScript`. */
const script = (document.currentScript ||
  document.querySelector('script[src*="/tracker.js"]')) as HTMLScriptElement | null;
const { api, domain, debug, hash }: DOMStringMap = script?.dataset ?? {};
const debugs =
  debug !== undefined ||
  location.protocol === 'file:' ||
  /^(localhost|127\..+|\[::1])$/.test(location.hostname);
let { referrer } = document;
let countedAddress = '';
let hasWarned = false;

/** Without credentials, and without the fragment unless it is the route of a single-page application. */
function pageAddress(): string {
  const route = hash !== undefined && /^#!?\//.test(location.hash) ? location.hash.replace('#', '%23') : '';
  const [path, query] = route.split(/\?([^]*)/);
  const search = location.search + (query ? (location.search ? '&' : '?') + query : '');
  return location.origin + location.pathname + path + search;
}

function serviceAddress(): string {
  return api || new URL('.', script?.src || location.origin).href;
}

function describe(name?: string, details?: Details): string {
  const { props, value, currency } = details || {};
  return JSON.stringify({
    url: pageAddress().slice(0, MAX_ADDRESS_LENGTH),
    domain: domain || undefined,
    referrer: referrer.slice(0, MAX_ADDRESS_LENGTH) || undefined,
    language: navigator.language || undefined,
    screen: `${screen.width}x${screen.height}`,
    event: name ? { name: String(name), props, value, currency } : undefined,
    // Only pages that came over TLS have it.
    id: crypto.randomUUID?.(),
  });
}

/** Set by visitors who leave their own visits out. */
function isIgnored(): boolean {
  try {
    return Boolean(localStorage.getItem('milepost_ignore'));
  } catch {
    return false;
  }
}

function warn(reason: string): void {
  if (debugs && !hasWarned) console.warn(`milepost: not counted: ${reason}`);
  hasWarned = true;
}

function warnOf({ status, headers }: Response): void {
  const dropped = headers.get('Milepost-Dropped');
  if (status === 404) warn(`${domain || location.hostname} is not registered`);
  else if (dropped || status > 299) warn(dropped || `status ${status}`);
}

async function send(name?: string, details?: Details): Promise<void> {
  // A file, a blob or a frame without an address is no page of a website.
  if (!location.protocol.startsWith('http')) return warn(`${location.protocol} is no website`);
  if (isIgnored()) return warn('milepost_ignore');
  try {
    const endpoint = serviceAddress().replace(/\/*$/, '/api/v1/events');
    const init: RequestInit = { method: 'POST', body: describe(name, details), keepalive: true };
    // The answer to a beacon cannot be read.
    if (debugs) warnOf(await fetch(endpoint, init));
    else if (!navigator.sendBeacon?.(endpoint, init.body))
      await fetch(endpoint, Object.assign(init, { mode: 'no-cors' }));
  } catch {
    // The page comes first: it must not notice that it could not be counted.
  }
}

/** A prerendered page may never be seen. */
function onceShown(action: () => void): void {
  if (document.prerendering) document.addEventListener('prerenderingchange', action, { once: true });
  else action();
}

function countPageView(event?: Event): void {
  onceShown(() => {
    const isRestored = (event as PageTransitionEvent | undefined)?.persisted;
    if (pageAddress() === countedAddress && !isRestored) return;
    if (countedAddress) referrer = '';
    countedAddress = pageAddress();
    void send();
  });
}

function watch(method: 'pushState' | 'replaceState'): void {
  const original = history[method].bind(history);
  history[method] = (...change) => {
    original(...change);
    countPageView();
  };
}

function obey(command: string, name?: string, details?: Details): void {
  if (command === 'event' && name) onceShown(() => void send(name, details));
}

function start(calls: Call[]): void {
  // A stub that was kept from before goes on to push.
  window.milepost = Object.assign(obey, { q: { push: (call: Call) => obey(...call) } });
  countPageView();
  for (const call of calls) obey(...call);
  watch('pushState');
  watch('replaceState');
  addEventListener('popstate', countPageView);
  addEventListener('pageshow', countPageView);
}

const waiting = window.milepost?.q ?? [];
// Included twice, it finds what the first one put there.
if (Array.isArray(waiting)) start(waiting);
