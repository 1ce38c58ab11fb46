import './site-mark.css';

/** The initial of a website in a colour of its own. */
export function SiteMark({ domain }: { domain: string }) {
  return (
    <span class="site-mark" style={{ '--hue': hueOf(domain) }} aria-hidden="true">
      {[...domain.replace(/^www\./, '')][0]?.toUpperCase()}
    </span>
  );
}

/** Similar domains get different hues: neighbors are apart by the golden angle. */
function hueOf(domain: string): number {
  let sum = 0;
  for (const letter of domain) sum = (31 * sum + letter.codePointAt(0)!) % 360;
  return Math.round((sum * 137.5) % 360);
}
