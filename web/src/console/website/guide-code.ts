export const GUIDES = ['html', 'gtm', 'wordpress', 'next', 'spa'] as const;
export type Guide = (typeof GUIDES)[number];

/** Tag Manager drops attributes of scripts, so its code creates the element. */
const inTagManager = (address: string) => `<script>
  var script = document.createElement('script');
  script.src = '${address}';
  document.head.appendChild(script);
</script>`;

const inWordPress = (address: string) => `add_action('wp_enqueue_scripts', function () {
  wp_enqueue_script('milepost', '${address}', [], null, ['strategy' => 'defer']);
});`;

const inNext = (address: string) => `import Script from 'next/script';

export default function RootLayout({ children }) {
  return (
    <html lang="en">
      <body>
        {children}
        <Script src="${address}" />
      </body>
    </html>
  );
}`;

/** The code of a guide for a service with this address. */
export function codeOf(guide: Guide, base: string): string {
  const address = `${base}/tracker.js`;
  switch (guide) {
    case 'html':
    case 'spa':
      return `<script defer src="${address}"></script>`;
    case 'gtm':
      return inTagManager(address);
    case 'wordpress':
      return inWordPress(address);
    case 'next':
      return inNext(address);
  }
}
