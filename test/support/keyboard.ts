import type { Locator, Page } from 'playwright-core';

/** More than any page has up to what a test goes to. */
const MAX_STOPS = 150;

/** What has the focus, or what stands for it, with an outline. */
const HAS_OUTLINE = `(() => {
  const focused = document.activeElement;
  const hasOutline = (element, part) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element, part);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
  };
  const standsFor = [focused, focused.closest('label, .picked-values'), focused.nextElementSibling];
  return standsFor.some((element) => element && hasOutline(element)) || hasOutline(focused, '::after');
})()`;

/** Goes to an element by the Tab key alone, and expects that each stop on the way is to be seen. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  const stops: string[] = [];
  while (!(await target.evaluate((own) => own === document.activeElement))) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>('document.activeElement.outerHTML.slice(0, 120)');
    if (!focused.startsWith('<body') && !(await page.evaluate(HAS_OUTLINE)))
      throw new Error(`has the focus without an outline: ${focused}`);
    stops.push(focused);
    if (stops.length > MAX_STOPS) throw new Error(`Tab does not reach it, but ${stops.join('\n')}`);
  }
}

/** Goes to an element by the Tab key, and presses another one there. */
export async function pressOn(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

export async function type(page: Page, text: string, ...keys: string[]): Promise<void> {
  await page.keyboard.type(text);
  for (const key of keys) await page.keyboard.press(key);
}
