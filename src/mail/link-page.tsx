import { hash } from 'node:crypto';
import { render } from 'preact-render-to-string';
import type { Response } from 'express';
import type { Language } from '../../engine/ground/languages';

const SHEET = `
:root { color-scheme: light dark; --page: #f2f4f7; --card: #fff; --text: #182230; --quiet: #5d6b82; --accent: #3b5bdb; --on: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0f1318; --card: #181d24; --text: #e9ecf1; --quiet: #9aa7b8; --accent: #9db0ff; --on: #0f1318; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px; background: var(--page);
  color: var(--text); font: 16px/24px system-ui, sans-serif; }
main { width: 100%; max-width: 440px; padding: 32px; border-radius: 12px; background: var(--card); }
h1 { margin: 0 0 8px; font-size: 22px; line-height: 28px; overflow-wrap: anywhere; }
p { margin: 0; color: var(--quiet); }
button { margin-top: 24px; padding: 12px 20px; border: 0; border-radius: 8px; background: var(--accent);
  color: var(--on); font: inherit; font-weight: 600; cursor: pointer; }
button:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
`;

/** Forbids scripts and external resources. The form may only post to this service, and nobody may frame the page. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', SHEET, 'base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

export interface LinkPage {
  language: Language;
  title: string;
  text: string;
  button?: string;
  /** What the button posts to, if not to the page itself. */
  action?: string;
}

/** Answers with the page that a link in a mail leads to. */
export function answerPage(response: Response, status: 200 | 404, page: LinkPage): string {
  response.status(status).set({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': PAGE_POLICY,
    'Cache-Control': 'no-store',
  });
  return `<!DOCTYPE html>${render(<Page {...page} />)}`;
}

function Page({ language, title, text, button, action }: LinkPage) {
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <style>{SHEET}</style>
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          <p>{text}</p>
          {button && (
            <form method="post" action={action}>
              <button>{button}</button>
            </form>
          )}
        </main>
      </body>
    </html>
  );
}
