/** The service refuses longer ones. Browsers hand addresses out in ASCII, so a character is a byte. */
const LONGEST_ADDRESS = 8192;

/** A module has no `currentScript`. */
const script = (document.currentScript ||
  document.querySelector('script[src*="/tracker.js"]')) as HTMLScriptElement | null;
const { api, domain }: DOMStringMap = script?.dataset ?? {};
let { referrer } = document;
let countedAddress = '';

/** Without the fragment and the credentials, which are nobody's business. */
function pageAddress(): string {
  return location.origin + location.pathname + location.search;
}

function serviceAddress(): string {
  return api || new URL('.', script?.src || location.origin).href;
}

function describe(name?: string): string {
  return JSON.stringify({
    url: pageAddress().slice(0, LONGEST_ADDRESS),
    domain: domain || undefined,
    referrer: referrer.slice(0, LONGEST_ADDRESS) || undefined,
    language: navigator.language || undefined,
    screen: `${screen.width}x${screen.height}`,
    event: name ? { name: String(name) } : undefined,
    // Only pages that came over TLS have it.
    id: crypto.randomUUID?.(),
  });
}

async function send(name?: string): Promise<void> {
  // A file, a blob or a frame without an address is no page of a website.
  if (!location.protocol.startsWith('http')) return;
  try {
    const endpoint = serviceAddress().replace(/\/*$/, '/api/v1/events');
    const body = describe(name);
    if (!navigator.sendBeacon?.(endpoint, body))
      await fetch(endpoint, { method: 'POST', body, keepalive: true, mode: 'no-cors' });
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

function obey(command: string, name?: string): void {
  if (command === 'event' && name) onceShown(() => void send(name));
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
