import type { CSSProperties } from 'preact';

export type Style = CSSProperties;

/** Light colours are inline, because some mail programs drop style sheets; dark ones are in the style sheet. */
const LIGHT = {
  page: '#f2f4f7',
  card: '#ffffff',
  text: '#182230',
  quiet: '#5d6b82',
  line: '#e4e7ec',
  brand: '#4f46e5',
  visitors: '#3b5bdb',
  views: '#b4c3fb',
  track: '#e9edfd',
  up: '#1a7f4b',
  down: '#b42318',
};

const FONT =
  '-apple-system, BlinkMacSystemFont, Segoe UI, Roboto, Helvetica Neue, Helvetica, Arial, sans-serif';

export const page: Style = { margin: 0, padding: 0, background: LIGHT.page };
export const outer: Style = { padding: '24px 12px' };
export const card: Style = {
  maxWidth: '600px',
  margin: '0 auto',
  background: LIGHT.card,
  border: `1px solid ${LIGHT.line}`,
  borderRadius: '12px',
  borderCollapse: 'separate',
  fontFamily: FONT,
  color: LIGHT.text,
};
export const section: Style = { padding: '0 28px 28px' };
export const brand: Style = { padding: '24px 28px 0' };
export const icon: Style = {
  width: '28px',
  height: '28px',
  background: LIGHT.brand,
  borderRadius: '8px',
  fontSize: 0,
  lineHeight: 0,
};
const onIcon: Style = { background: '#ffffff', fontSize: 0, lineHeight: 0 };
export const arch: Style = {
  width: '10px',
  height: '11px',
  margin: '0 auto',
  border: '2px solid #ffffff',
  borderBottom: 0,
  borderRadius: '7px 7px 0 0',
};
export const post: Style = { ...onIcon, width: '2px', height: '6px', margin: '5px auto 0' };
export const ground: Style = {
  ...onIcon,
  width: '18px',
  height: '2px',
  margin: '0 auto 6px',
  borderRadius: '1px',
};
export const brandName: Style = { paddingLeft: '8px', color: LIGHT.quiet, fontSize: '14px', fontWeight: 600 };
export const head: Style = { padding: '20px 28px' };
export const domain: Style = {
  margin: 0,
  fontSize: '24px',
  lineHeight: '30px',
  fontWeight: 700,
  letterSpacing: '-0.3px',
  wordBreak: 'break-word',
};
export const quiet: Style = { color: LIGHT.quiet, fontSize: '14px', lineHeight: '20px' };
export const paragraph: Style = { margin: '4px 0 0' };
export const fixed: Style = { tableLayout: 'fixed', width: '100%' };
export const total: Style = {
  fontSize: '30px',
  lineHeight: '38px',
  fontWeight: 700,
  letterSpacing: '-0.5px',
};
export const figure: Style = { paddingRight: '12px', overflowWrap: 'anywhere' };
export const totalTitle: Style = { fontSize: '14px', lineHeight: '20px', color: LIGHT.quiet };
export const change: Record<'up' | 'down' | 'same', Style> = {
  up: { color: LIGHT.up, fontWeight: 600 },
  down: { color: LIGHT.down, fontWeight: 600 },
  same: { fontWeight: 600 },
};
export const chart: Style = { ...fixed, borderBottom: `1px solid ${LIGHT.line}` };
export const bar: Style = { verticalAlign: 'bottom', fontSize: 0, lineHeight: 0 };
export const visitorsBar: Style = { background: LIGHT.visitors, fontSize: 0, lineHeight: 0 };
export const viewsBar: Style = { background: LIGHT.views, fontSize: 0, lineHeight: 0 };
export const axis: Style = {
  padding: '6px 0 0',
  fontSize: '12px',
  lineHeight: '16px',
  color: LIGHT.quiet,
  textAlign: 'center',
  whiteSpace: 'nowrap',
};
export const legend: Style = {
  padding: '10px 0 0',
  fontSize: '12px',
  lineHeight: '16px',
  color: LIGHT.quiet,
};
export const swatch: Style = { display: 'inline-block', width: '9px', height: '9px', borderRadius: '2px' };
export const listTitle: Style = { margin: '0 0 6px', fontSize: '16px', lineHeight: '22px', fontWeight: 700 };
export const listUnit: Style = { fontSize: '13px', fontWeight: 400, color: LIGHT.quiet };
export const label: Style = {
  padding: '7px 12px 4px 0',
  fontSize: '14px',
  lineHeight: '20px',
  wordBreak: 'break-word',
  overflowWrap: 'anywhere',
};
export const count: Style = {
  padding: '7px 0 4px',
  width: '76px',
  fontSize: '14px',
  lineHeight: '20px',
  textAlign: 'right',
  verticalAlign: 'top',
  whiteSpace: 'nowrap',
};
export const track: Style = { background: LIGHT.track, borderRadius: '2px', fontSize: 0, lineHeight: 0 };
export const share: Style = {
  background: LIGHT.visitors,
  borderRadius: '2px',
  height: '4px',
  fontSize: 0,
  lineHeight: 0,
};
export const foot: Style = {
  padding: '18px 28px 24px',
  borderTop: `1px solid ${LIGHT.line}`,
  fontSize: '12px',
  lineHeight: '18px',
  color: LIGHT.quiet,
};
export const button: Style = {
  display: 'inline-block',
  padding: '11px 20px',
  background: LIGHT.visitors,
  borderRadius: '8px',
  color: '#ffffff',
  fontSize: '15px',
  lineHeight: '20px',
  fontWeight: 600,
  textDecoration: 'none',
};
export const link: Style = { color: LIGHT.visitors, textDecoration: 'underline' };
/** Shown in the list of mails, beside the subject. */
export const preview: Style = {
  display: 'none',
  maxHeight: 0,
  overflow: 'hidden',
  fontSize: '1px',
  lineHeight: '1px',
  color: 'transparent',
};

/** Must not contain characters that need escaping: the renderer would escape them, which breaks a style sheet. */
export const SHEET = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (max-width: 480px) {
  .outer { padding: 0 !important; }
  .card { border-width: 0 !important; border-radius: 0 !important; }
  .section { padding-left: 18px !important; padding-right: 18px !important; }
  .wide { display: none !important; }
  .total { font-size: 22px !important; line-height: 30px !important; }
}
@media (prefers-color-scheme: dark) {
  .page { background: #0f1318 !important; }
  .card { background: #181d24 !important; color: #e9ecf1 !important; }
  .card, .chart, .foot { border-color: #2b323c !important; }
  .quiet { color: #9aa7b8 !important; }
  .up { color: #5bd08f !important; }
  .down { color: #ff8a7f !important; }
  .visitors { background: #7b93ff !important; }
  .views { background: #38467f !important; }
  .track { background: #252c3d !important; }
  .link { color: #9db0ff !important; }
  .button { background: #9db0ff !important; color: #0f1318 !important; }
}
`;
