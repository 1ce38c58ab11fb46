import { until } from './until';

interface Point {
  x: number;
  y: number;
}

const KEYS: Record<string, string> = { Backspace: '\uE003', Enter: '\uE007', Escape: '\uE00C' };

/** The first element of a selector that is seen. */
const FIND = `(selector) => {
  const found = selector.startsWith('//')
    ? document.evaluate(selector, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE)
    : document.querySelectorAll(selector);
  const all = Array.from({ length: found.snapshotLength ?? found.length }, (_, at) => found.snapshotItem?.(at) ?? found[at]);
  return all.find((element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0);
}`;

/** Where a click reaches the element, unless something covers it. */
const POINT_AT = `(element) => {
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const { left, top, width, height } = element.getClientRects()[0];
  const [x, y] = [Math.floor(left + width / 2), Math.floor(top + height / 2)];
  return element.contains(document.elementFromPoint(x, y)) ? { x, y } : undefined;
}`;

/** Like `until`, with an error that says what did not happen. */
export function untilSo<T>(what: string, look: () => Promise<T>) {
  return until(look).catch((cause: unknown) => {
    throw new Error(`it never came about that ${what}`, { cause });
  });
}

/** A page by WebDriver, with a part of the methods of Playwright's. Selectors are CSS, or XPath from `//` on. */
export abstract class DrivenPage {
  abstract goto(address: string): Promise<unknown>;
  abstract setViewportSize(size: { width: number; height: number }): Promise<unknown>;
  /** Returns what JSON can say of the value of an expression, or of what a promise brings. */
  abstract evaluate(expression: string): Promise<unknown>;
  /** Actions in the form of WebDriver. */
  protected abstract perform(actions: object[]): Promise<unknown>;

  async isVisible(selector: string): Promise<boolean> {
    return (await this.look(`${found(selector)} !== undefined`)) === true;
  }

  async click(selector: string): Promise<void> {
    const point = await untilSo(`a click reaches ${selector}`, () =>
      this.look(`((element) => element && (${POINT_AT})(element))(${found(selector)})`),
    );
    const pointer = [
      { type: 'pointerMove', ...(point as Point) },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.perform([
      { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: pointer },
    ]);
  }

  async fill(selector: string, text: string): Promise<void> {
    await this.focus(selector, 'element.select()');
    await this.type(text === '' ? [KEYS.Backspace!] : [...text]);
  }

  async press(selector: string, key: string): Promise<void> {
    await this.focus(selector);
    await this.type([KEYS[key] ?? key]);
  }

  /** Evaluates an expression. Undefined while another page replaces this one. */
  private look(expression: string): Promise<unknown> {
    return this.evaluate(expression).catch(() => undefined);
  }

  /** At once, because what is shown may be replaced in between. */
  private async focus(selector: string, then = 'undefined'): Promise<void> {
    const focus = `(element) => element && (element.focus(), ${then}, document.activeElement === element)`;
    await untilSo(`${selector} has the focus`, () => this.look(`(${focus})(${found(selector)})`));
  }

  private async type(keys: string[]): Promise<void> {
    const actions = keys.flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.perform([{ type: 'key', id: 'keyboard', actions }]);
  }
}

const found = (selector: string) => `(${FIND})(${JSON.stringify(selector)})`;
