import type { WebhookFormat } from '../events';

/** What a chat gets in place of a delivery's own text. */
interface ChatPost {
  headers: Record<string, string>;
  body: string;
}

/** A message for people. All of it is plain text on one line, which may come from visitors. */
interface Message {
  title: string;
  lines: string[];
  link: string;
}

interface Total {
  count: number;
  previous: number | null;
}

interface Alert {
  name: string;
  metric: string;
  condition: string;
  threshold: number | null;
}

/** What the text of a delivery may have; its event says what. */
interface Payload {
  website: { id: number; domain: string } | null;
  goals?: { name: string; conversions: number; value: string | null; currency: string | null }[];
  report?: {
    every: string;
    from: string;
    to: string;
    visitors: Total;
    pageviews: Total;
    pages: { label: string; count: number }[];
  };
  alert?: Alert;
  value?: number | string | null;
  usual?: number | string | null;
}

const MAX_LINES = 10;
const MAX_LINE_LENGTH = 200;
/** Of a goal or a page, so that its count fits beside it. */
const MAX_LABEL_LENGTH = 150;
/** Of 2,000, with a title and a link. */
const MAX_DISCORD_LENGTH = 1400;
/** Of 4,096 bytes: more becomes a file. A character has at most three for each unit of its length. */
const MAX_NTFY_LENGTH = 1300;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const CONDITIONS: Record<string, string> = {
  above: 'above the threshold',
  below: 'below the threshold',
  rises: 'higher than usual',
  falls: 'lower than usual',
  silent: 'nothing came in',
};
/** Controls, line breaks, marks of direction and other characters that a reader does not see. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]+/gu;

const POSTS: Record<Exclude<WebhookFormat, 'milepost'>, (message: Message) => ChatPost> = {
  /** Only `<` begins a mention, or a link with other words. */
  slack: ({ title, lines, link }) => {
    const text = [
      `*${forSlack(title)}*`,
      ...someOf(lines.map(forSlack)),
      `<${forSlack(link)}|Open the statistics>`,
    ];
    return json({ text: text.join('\n'), unfurl_links: false, unfurl_media: false });
  },
  /** The flag leaves out previews of links. */
  discord: ({ title, lines, link }) => {
    const shown = someOf(lines.map(forDiscord), MAX_DISCORD_LENGTH);
    return json({
      content: [`**${forDiscord(title)}**`, ...shown, `<${link}>`].join('\n'),
      allowed_mentions: { parse: [] },
      flags: 4,
    });
  },
  /** A TextRun shows its text as it is. */
  teams: ({ title, lines, link }) => {
    const run = (text: string, more = {}) => ({
      type: 'RichTextBlock',
      inlines: [{ type: 'TextRun', text, ...more }],
    });
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [run(title, { weight: 'bolder' }), ...someOf(lines).map((line) => run(line))],
      actions: [{ type: 'Action.OpenUrl', title: 'Open the statistics', url: link }],
    };
    const contentType = 'application/vnd.microsoft.card.adaptive';
    return json({ type: 'message', attachments: [{ contentType, contentUrl: null, content }] });
  },
  ntfy: ({ title, lines, link }) => ({
    headers: { 'Content-Type': 'text/plain; charset=utf-8', Title: inHeader(title), Click: link },
    body: someOf(lines, MAX_NTFY_LENGTH).join('\n'),
  }),
};

/** What a chat gets instead of the text of a delivery. */
export function chatPostOf(
  format: Exclude<WebhookFormat, 'milepost'>,
  body: string,
  address: string,
): ChatPost {
  const payload = JSON.parse(body) as Payload;
  const { title, lines } = wordsOf(payload, payload.website?.domain ?? '');
  const link = payload.website ? `${address}/?website=${payload.website.id}` : `${address}/`;
  return POSTS[format]({ title: oneLine(title), lines: lines.map(oneLine), link });
}

function wordsOf({ goals, report, alert, value, usual }: Payload, domain: string): Omit<Message, 'link'> {
  if (goals) return { title: `Goals reached on ${domain}`, lines: goals.map(goalLine) };
  if (report)
    return {
      title: `${report.every === 'week' ? 'Weekly' : 'Monthly'} report for ${domain}`,
      lines: reportLines(report),
    };
  if (!alert) return { title: 'Webhook test', lines: ['Milepost can post to this address.'] };
  return { title: `Alert "${alert.name}" on ${domain}`, lines: [alertLine({ alert, value, usual })] };
}

function alertLine({ alert, value, usual }: Pick<Payload, 'value' | 'usual'> & { alert: Alert }): string {
  const { metric, condition, threshold } = alert;
  const unit = condition === 'rises' || condition === 'falls' ? ' %' : '';
  const than = [
    ...(threshold === null ? [] : [`threshold ${threshold}${unit}`]),
    ...(usual === null || usual === undefined ? [] : [`usual ${usual}`]),
  ];
  const compared = than.length > 0 ? ` (${than.join(', ')})` : '';
  return `${metric.replaceAll('_', ' ')}: ${value ?? 'unknown'}, ${CONDITIONS[condition] ?? condition}${compared}`;
}

function goalLine({ name, conversions, value, currency }: NonNullable<Payload['goals']>[number]): string {
  const worth = value === null ? '' : `, ${value} ${currency ?? ''}`.trimEnd();
  return `${cut(name, MAX_LABEL_LENGTH)}: ${conversions} ${conversions === 1 ? 'conversion' : 'conversions'}${worth}`;
}

function reportLines({ from, to, visitors, pageviews, pages }: NonNullable<Payload['report']>): string[] {
  const total = (what: string, { count, previous }: Total) =>
    `${what}: ${count}${previous === null ? '' : `, before: ${previous}`}`;
  return [
    `${from} to ${to}`,
    total('Visitors', visitors),
    total('Page views', pageviews),
    ...pages.slice(0, 3).map(({ label, count }) => `${cut(label, MAX_LABEL_LENGTH)}: ${count}`),
  ];
}

function json(content: object): ChatPost {
  return { headers: JSON_TYPE, body: JSON.stringify(content) };
}

function oneLine(text: string): string {
  return cut(text.replaceAll(INVISIBLE, ' ').trim(), MAX_LINE_LENGTH);
}

/** Leaves no half of a character. */
function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}

/** The first lines, and how many are left out. */
function someOf(lines: string[], mostLength = Infinity): string[] {
  let length = 0;
  const end = lines.findIndex((line, index) => index === MAX_LINES || (length += line.length) > mostLength);
  return end < 0 ? lines : [...lines.slice(0, end), `and ${lines.length - end} more`];
}

function forSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A backslash makes any sign plain; a link needs its colon, and an invitation its dot. */
function forDiscord(text: string): string {
  return text.replaceAll(/[\\*_~|>#\-[\]()<`@:+.]/g, '\\$&');
}

/** RFC 2047, which ntfy reads. */
function inHeader(text: string): string {
  return /^[ -~]*$/.test(text) && !text.includes('=?')
    ? text
    : `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
}
