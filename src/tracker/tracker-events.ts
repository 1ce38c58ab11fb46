/** The attributes of the tracker, which has copied them to this script. */
const wanted: DOMStringMap = document.currentScript!.dataset;
/** The service refuses longer texts. */
const MAX_TEXT_LENGTH = 255;
const FILE =
  /\.(7z|apk|avi|csv|deb|dmg|docx?|epub|exe|gz|iso|jar|key|midi?|mov|mp[34]|mpe?g|msi|odp|ods|odt|pages|pdf|pkg|pptx?|rar|rpm|rtf|tar|tgz|txt|wav|wma|wmv|xlsx?|xz|zip)$/i;

/** In pixels from the top of the page. */
let deepest = 0;
let isLeft = false;

function count(name: string, props: Details['props'], passive?: true): void {
  window.milepost!('event', name, { props, passive });
}

/** Without credentials, query and fragment. */
function addressOf({ protocol, origin, pathname }: HTMLAnchorElement): string {
  return (isOfWeb(protocol) ? origin + pathname : protocol).slice(0, MAX_TEXT_LENGTH);
}

function isOfWeb(protocol: string): boolean {
  return /^https?:$/.test(protocol);
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, '');
}

/** A middle click opens a tab. Another button opens a menu. */
function countLink(event: MouseEvent): void {
  const isLink = (node: EventTarget) => node instanceof Element && node.matches('a[href], area[href]');
  const link = event.composedPath().find(isLink) as HTMLAnchorElement | undefined;
  if (!link || !isOfWeb(link.protocol) || event.button > 1 || event.defaultPrevented) return;
  const isFile = link.hasAttribute('download') || FILE.test(link.pathname);
  if (isFile && 'downloads' in wanted) count('File download', { url: addressOf(link) });
  else if ('outbound' in wanted && withoutWww(link.host) !== withoutWww(location.host))
    count('Outbound link', { url: addressOf(link) });
}

function countForm({ target }: Event): void {
  const action = document.createElement('a');
  // A field called action would hide the property.
  action.href = (target as HTMLFormElement).getAttribute('action') || location.href;
  count('Form submission', { action: addressOf(action) });
}

function isNotFound(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return (
    navigation?.responseStatus === 404 || !!document.querySelector('meta[name="milepost"][content="404"]')
  );
}

function look(): void {
  deepest = Math.max(deepest, scrollY + innerHeight);
}

function countScroll(): void {
  if (isLeft) return;
  isLeft = true;
  look();
  const { scrollHeight } = document.scrollingElement || document.documentElement;
  count('Scroll', { percent: Math.min(100, Math.round((100 * deepest) / scrollHeight) || 0) }, true);
}

/** The tracker is about to count another page view. */
function beginPage(): void {
  countScroll();
  deepest = 0;
  isLeft = false;
}

if ('outbound' in wanted || 'downloads' in wanted) {
  addEventListener('click', countLink);
  addEventListener('auxclick', countLink);
}
// Before handlers of the page can stop it.
if ('forms' in wanted) addEventListener('submit', countForm, true);
if ('404' in wanted && isNotFound()) count('404', { path: location.pathname }, true);
if ('scroll' in wanted) {
  addEventListener('scroll', look, { passive: true });
  addEventListener('pagehide', countScroll);
  addEventListener('milepost', beginPage);
}
