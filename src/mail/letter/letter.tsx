import type { ComponentChildren } from 'preact';
import { render } from 'preact-render-to-string';
import type { Language } from '../../../engine/ground/languages';
import * as styles from './styles';

export const PLAIN = { cellpadding: '0', cellspacing: '0', border: 0, width: '100%' } as const;

interface LetterContent {
  language: Language;
  /** The subject of the mail. */
  title: string;
  /** The line that mail programs show beside the subject. */
  preview: string;
  /** Sections. */
  children: ComponentChildren;
}

/** HTML for mail programs: tables, inline styles, and no external resources. */
export function letterOf(content: LetterContent): string {
  return `<!DOCTYPE html>${render(<Letter {...content} />)}`;
}

function Letter({ language, title, preview, children }: LetterContent) {
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{title}</title>
        <style>{styles.SHEET}</style>
      </head>
      <body class="page" style={styles.page}>
        <div style={styles.preview}>{preview}</div>
        <table role="presentation" {...PLAIN} class="page" style={{ background: styles.page.background }}>
          <tr>
            <td class="outer" align="center" style={styles.outer}>
              <table role="presentation" {...PLAIN} class="card" style={styles.card}>
                <Brand />
                {children}
              </table>
            </td>
          </tr>
        </table>
      </body>
    </html>
  );
}

interface SectionContent {
  style?: styles.Style;
  children: ComponentChildren;
}

export function Section({ style = styles.section, children }: SectionContent) {
  return (
    <tr>
      <td class="section" align="left" style={style}>
        {children}
      </td>
    </tr>
  );
}

/** The icon of `web/src/shared/icon.svg`, drawn with boxes: mail programs block images. */
function Brand() {
  return (
    <Section style={styles.brand}>
      <table role="presentation" {...PLAIN} width={undefined}>
        <tr>
          <td width={28} height={28} align="center" valign="bottom" style={styles.icon}>
            <div style={styles.arch}>
              <div style={styles.post}></div>
            </div>
            <div style={styles.ground}></div>
          </td>
          <td class="quiet" style={styles.brandName}>
            Milepost
          </td>
        </tr>
      </table>
    </Section>
  );
}

export function Head({ title, text }: { title: string; text: string }) {
  return (
    <Section style={styles.head}>
      <h1 style={styles.domain}>{title}</h1>
      <p class="quiet" style={{ ...styles.quiet, ...styles.paragraph }}>
        {text}
      </p>
    </Section>
  );
}

export function Button({ href, text }: { href: string; text: string }) {
  return (
    <a class="button" href={href} style={styles.button}>
      {text}
    </a>
  );
}

export function Link({ href, text }: { href: string; text: string }) {
  return (
    <a class="link" href={href} style={styles.link}>
      {text}
    </a>
  );
}

/** The end of a mail: why it was sent, and how to stop further ones. */
export function Foot({ notes, stop }: { notes: string[]; stop: { href: string; text: string } }) {
  return (
    <tr>
      <td class="section foot quiet" align="left" style={styles.foot}>
        {notes.map((note) => (
          <>
            {note}
            <br />
          </>
        ))}
        <Link {...stop} />
      </td>
    </tr>
  );
}
