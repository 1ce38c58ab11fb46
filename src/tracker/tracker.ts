/** The service rejects longer ones. Browsers return addresses in ASCII, so a character is a byte. */
const MAX_ADDRESS_LENGTH = 8192;

/** Modules have no `currentScript`. */
const script = (document.currentScript ||
  document.querySelector('script[src*="/tracker.js"]')) as HTMLScriptElement | null;
const attributes: DOMStringMap = script?.dataset ?? {};
const { api, domain, debug, hash, titles } = attributes;
const debugs =
  debug !== undefined ||
  location.protocol === 'file:' ||
  /^(localhost|127\..+|\[::1])$/.test(location.hostname);
const address = script?.src || location.origin;
let { referrer } = document;
let countedAddress = '';
/** The page of events that are sent because it is left. */
let leftAddress = '';
let hasWarned = false;

/** Without credentials, and without the fragment unless it is a route of a single-page application. */
function pageAddress(): string {
  const route = hash !== undefined && /^#!?\//.test(location.hash) ? location.hash.replace('#', '%23') : '';
  const [path, query] = route.split(/\?([^]*)/);
  const search = location.search + (query ? (location.search ? '&' : '?') + query : '');
  return location.origin + location.pathname + path + search;
}

function serviceAddress(): string {
  return api || new URL('.', address).href;
}

/**
 * Version 7 of a UUID begins with the time, so that databases store new ids side by side. It is rounded to four seconds,
 * because the exact time could distinguish clocks. `randomUUID` is only available in secure contexts.
 */
function newId(): string | undefined {
  const time = Date.now().toString(16).padStart(12, '0');
  const random = crypto.randomUUID?.();
  return random && `${time.slice(0, 8)}-${time[8]}${random.slice(10, 14)}7${random.slice(15)}`;
}

function describe(name?: string, details?: Details): string {
  const { props, value, currency, passive } = details || {};
  return JSON.stringify({
    url: (leftAddress || pageAddress()).slice(0, MAX_ADDRESS_LENGTH),
    domain: domain || undefined,
    referrer: referrer.slice(0, MAX_ADDRESS_LENGTH) || undefined,
    title: (titles !== undefined && !leftAddress && document.title) || undefined,
    language: navigator.language || undefined,
    screen: `${screen.width}x${screen.height}`,
    event: name ? { name: String(name), props, value, currency, passive } : undefined,
    id: newId(),
  });
}

/** Visitors set this to exclude their own visits. */
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
  // A file, a blob or a frame without an address is not a website.
  if (!location.protocol.startsWith('http')) return warn(`${location.protocol} is no website`);
  if (isIgnored()) return warn('milepost_ignore');
  try {
    const endpoint = serviceAddress().replace(/\/*$/, '/api/v1/events');
    const init: RequestInit = { method: 'POST', body: describe(name, details), keepalive: true };
    // A beacon's answer cannot be read.
    if (debugs) warnOf(await fetch(endpoint, init));
    else if (!navigator.sendBeacon?.(endpoint, init.body))
      await fetch(endpoint, Object.assign(init, { mode: 'no-cors' }));
  } catch {
    // Tracking must never break the page.
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
    if (countedAddress) announceLeave();
    countedAddress = pageAddress();
    void send();
  });
}

/** The script of automatic events listens. */
function announceLeave(): void {
  leftAddress = countedAddress;
  dispatchEvent(new Event('milepost'));
  leftAddress = referrer = '';
}

/** From beside this script, if one of its attributes asks for such events. */
function loadAutomaticEvents(): void {
  if (!/outbound|downloads|404|forms|scroll/.test(Object.keys(attributes).join())) return;
  const more = document.createElement('script');
  Object.assign(more.dataset, attributes);
  more.nonce = script!.nonce;
  more.src = new URL('tracker-events.js', address).href;
  document.head.append(more);
}

/** Single-page applications set the title after the address. */
function countSoon(): void {
  if (titles === undefined) countPageView();
  else setTimeout(countPageView, 99);
}

function watch(method: 'pushState' | 'replaceState'): void {
  const original = history[method].bind(history);
  history[method] = (...change) => {
    original(...change);
    countSoon();
  };
}

function obey(command: string, name?: string, details?: Details): void {
  if (command === 'event' && name) onceShown(() => void send(name, details));
}

function start(calls: Call[]): void {
  // A reference to the old stub still works: its queue is replaced.
  window.milepost = Object.assign(obey, { q: { push: (call: Call) => obey(...call) } });
  countPageView();
  for (const call of calls) obey(...call);
  watch('pushState');
  watch('replaceState');
  addEventListener('popstate', countSoon);
  addEventListener('pageshow', countPageView);
  loadAutomaticEvents();
}

const waiting = window.milepost?.q ?? [];
// If included twice, the first copy has replaced the array.
if (Array.isArray(waiting)) start(waiting);
