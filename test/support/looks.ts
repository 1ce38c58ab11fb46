import type { Page } from 'playwright-core';

/**
 * The texts of a page as their contrast is judged: each combination of a colour, a font, and the backgrounds that lie
 * under all of a text. Texts for screen readers alone are clipped.
 */
const CONTRASTS = `
  const parts = [...document.querySelectorAll('body, body *')]
    .filter((part) => part.checkVisibility({ visibilityProperty: true }))
    .map((part) => ({ part, style: getComputedStyle(part), box: part.getBoundingClientRect() }));
  const opacities = new Map();
  for (const { part, style } of parts) {
    const isClipped = style.clipPath !== 'none';
    opacities.set(part, isClipped ? 0 : style.opacity * (opacities.get(part.parentElement) ?? 1));
  }
  const textOf = ({ childNodes }) =>
    [...childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data.trim()).join(' ').trim();
  const isText = (part) => textOf(part) !== '' || 'placeholder' in part || part.tagName === 'SELECT';
  const grounds = parts.filter(
    ({ style }) => style.backgroundColor !== 'rgba(0, 0, 0, 0)' || style.backgroundImage !== 'none',
  );
  const isUnder = (ground, { left, top, right, bottom }) =>
    ground.left <= left + 1 && ground.top <= top + 1 && ground.right >= right - 1 && ground.bottom >= bottom - 1;
  const contrasts = new Set();
  for (const { part, style, box } of parts) {
    if (!isText(part) || opacities.get(part) === 0) continue;
    const { color, fill, fontSize, fontWeight, textShadow } = style;
    const paints = grounds
      .filter((ground) => isUnder(ground.box, box))
      .map(({ part, style }) => [style.backgroundColor, style.backgroundImage, opacities.get(part)].join());
    contrasts.add([color, fill, opacities.get(part), fontSize, fontWeight, textShadow, ...paints].join(' '));
  }`;

/** The parts that are shown, with their attributes and texts. Of a picture, their number and geometry do not matter. */
const STRUCTURE = `
  const ofPictures = new Set();
  const structure = [];
  for (const { part, style } of parts) {
    const isDrawn = part.ownerSVGElement;
    const attributes = [...part.attributes]
      .filter(({ name }) => (isDrawn ? /^(class|role|id|tabindex|aria-.*)$/.test(name) : name !== 'style'))
      .map(({ name, value }) => name + '=' + value);
    const isCut = part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight;
    const scrolls = isCut && /auto|scroll/.test(style.overflow);
    const line = [part.tagName, style.clipPath, scrolls, ...attributes].join(' ');
    if (isDrawn) ofPictures.add(line);
    else structure.push(line + ' ' + textOf(part));
  }`;

const NEW_CONTRASTS = `(() => {
  ${CONTRASTS}
  const seen = (window.seenContrasts ??= new Set());
  const known = seen.size;
  for (const contrast of contrasts) seen.add(contrast);
  return seen.size > known;
})()`;

const NEW_LOOKS = `(() => {
  ${CONTRASTS}
  ${STRUCTURE}
  const look = [...structure, ...[...ofPictures].sort(), ...[...contrasts].sort()].join('\\n');
  const seen = (window.seenLooks ??= new Set());
  return seen.size < seen.add(look).size;
})()`;

/**
 * Tells whether a document shows something that a check for faults has not seen yet. At another width, a page is often the
 * same but for its geometry.
 */
export function looksNew(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(NEW_LOOKS);
}

/** Tells whether a document has texts of other contrasts than before. */
export function hasNewContrasts(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(NEW_CONTRASTS);
}
