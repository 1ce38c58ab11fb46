import type { ComponentChildren } from 'preact';
import { render } from 'preact-render-to-string';
import type { Response } from 'express';
import type { Words } from '../http/words/words';
import type { Loaded } from './built-pages';

/** Forbids content from elsewhere, and inline scripts and styles. */
export function policyOf(framedBy: "'none'" | '*'): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${framedBy}`,
  ].join('; ');
}

/** The data that a page's script reads from its element. */
type PageData = Record<`data-${string}`, string | undefined>;

interface Shell {
  title: string;
  loaded: Loaded;
  /** The place of `assets/`, relative to the page: a proxy may serve the service below a path. */
  root: string;
  words: Words;
}

interface ShellProps extends Shell {
  withScript: boolean;
  children: ComponentChildren;
}

function Document({ title, loaded, root, words, withScript, children }: ShellProps) {
  return (
    <html lang={words.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" type="image/svg+xml" href={root + loaded.icon} />
        <script src={root + loaded.theme} />
        {withScript &&
          [...loaded.modules, loaded.texts[words.language]].map((module) => (
            <link rel="modulepreload" href={root + module} />
          ))}
        {loaded.styles.map((style) => (
          <link rel="stylesheet" href={root + style} />
        ))}
        {withScript && <script type="module" src={root + loaded.script} />}
      </head>
      <body>{children}</body>
    </html>
  );
}

const html = (document: Parameters<typeof render>[0]) => `<!DOCTYPE html>${render(document)}`;

/** A page that its script renders. */
export function scriptedPage(shell: Shell, data: PageData): string {
  return html(
    <Document {...shell} withScript>
      <div id="app" {...data} />
      <noscript>
        <p class="notice">{shell.words.needsScript}</p>
      </noscript>
    </Document>,
  );
}

export function passwordPage(shell: Shell, domain: string, complaint: string | undefined): string {
  const { title, text, label, button } = shell.words.password;
  return html(
    <Document {...shell} withScript={false}>
      <main class="sheet">
        <h1>{title}</h1>
        <p>{text(domain)}</p>
        <form method="post">
          <label for="password">{label}</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            required
            autofocus
            aria-invalid={complaint ? 'true' : undefined}
            aria-describedby={complaint ? 'complaint' : undefined}
          />
          {complaint && (
            <p id="complaint" class="complaint" role="alert">
              {complaint}
            </p>
          )}
          <button class="primary">{button}</button>
        </form>
      </main>
    </Document>,
  );
}

/** A page of the documentation, whose HTML the build has made. */
export function guidePage(shell: Shell, content: string): string {
  return html(
    <Document {...shell} withScript={false}>
      <main class="guide">
        <nav aria-label="Milepost">
          <a href={shell.root}>‹ Milepost</a>
          <a href={`${shell.root}docs/guide/`}>Guide</a>
          <a href={`${shell.root}docs`}>API reference</a>
          <a href={`${shell.root}docs/guide/changelog`}>What’s new</a>
        </nav>
        <div dangerouslySetInnerHTML={{ __html: content }} />
      </main>
    </Document>,
  );
}

/** Reveals nothing about the requested page. */
export function problemPage(shell: Omit<Shell, 'title'>, status: number): string {
  const { problems } = shell.words;
  const known: Partial<Record<number, Problem>> = problems;
  return html(<ProblemSheet {...shell} {...(known[status] ?? problems.other)} />);
}

/** For an unknown address, with a link to the console. */
export function unknownPage(shell: Omit<Shell, 'title'>): string {
  return html(
    <ProblemSheet {...shell} {...shell.words.problems[404]}>
      <a class="primary" href={shell.root}>
        {shell.words.home}
      </a>
    </ProblemSheet>,
  );
}

interface Problem {
  title: string;
  text: string;
}

function ProblemSheet({ text, children, ...shell }: Shell & Problem & { children?: ComponentChildren }) {
  return (
    <Document {...shell} withScript={false}>
      <main class="sheet">
        <h1>{shell.title}</h1>
        <p>{text}</p>
        {children}
      </main>
    </Document>
  );
}

type FramedBy = Parameters<typeof policyOf>[0];

export function sendPage(response: Response, html: string, framedBy: FramedBy): void {
  setPageHeaders(response, framedBy).send(html);
}

export function setPageHeaders(response: Response, framedBy: FramedBy): Response {
  return response
    .set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policyOf(framedBy),
      // Without it, the form would not send its origin.
      'Referrer-Policy': 'same-origin',
    })
    .type('html');
}
