export const GUIDES = ['html', 'gtm', 'wordpress', 'next', 'spa'] as const;
export type Guide = (typeof GUIDES)[number];

/** The attributes of the script that switch on automatic events, by their panel. docs/tracker.md explains them. */
export const EXTRAS = {
  outbound: 'data-outbound',
  downloads: 'data-downloads',
  not_found: 'data-404',
  forms: 'data-forms',
  scroll: 'data-scroll',
} as const;
export type Extra = keyof typeof EXTRAS;

/** Tag Manager drops attributes of scripts, so its code creates the element. */
const inTagManager = (address: string, attributes: readonly string[]) => `<script>
  var script = document.createElement('script');
${attributes.map((name) => `  script.setAttribute('${name}', '');\n`).join('')}  script.src = '${address}';
  document.head.appendChild(script);
</script>`;

/** `wp_enqueue_script` takes no further attributes, so a filter adds them to the element. */
const inWordPress = (
  address: string,
  attributes: readonly string[],
) => `add_action('wp_enqueue_scripts', function () {
  wp_enqueue_script('milepost', '${address}', [], null, ['strategy' => 'defer']);
});${
  attributes.length === 0
    ? ''
    : `
add_filter('script_loader_tag', function ($tag, $handle) {
  return $handle === 'milepost' ? str_replace('<script ', '<script ${attributes.join(' ')} ', $tag) : $tag;
}, 10, 2);`
}`;

const inNext = (address: string, attributes: readonly string[]) => `import Script from 'next/script';

export default function RootLayout({ children }) {
  return (
    <html lang="en">
      <body>
        {children}
        <Script src="${address}"${attributes.map((name) => ` ${name}=""`).join('')} />
      </body>
    </html>
  );
}`;

/** The code of a guide for a service with this address. */
export function codeOf(guide: Guide, base: string, extras: readonly Extra[] = []): string {
  const address = `${base}/tracker.js`;
  const attributes = extras.map((extra) => EXTRAS[extra]);
  switch (guide) {
    case 'html':
    case 'spa':
      return `<script ${['defer', ...attributes].join(' ')} src="${address}"></script>`;
    case 'gtm':
      return inTagManager(address, attributes);
    case 'wordpress':
      return inWordPress(address, attributes);
    case 'next':
      return inNext(address, attributes);
  }
}
