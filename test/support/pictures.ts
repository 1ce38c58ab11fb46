import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Page } from 'playwright-core';

/** Edges of letters may differ by this much from one build of the browser to the next. */
const MAX_CHANNEL_DIFFERENCE = 48;
const MAX_DIFFERENT_SHARE = 0.001;

interface Difference {
  sizes: [number, number][];
  /** The share of pixels that differ, and where they lie. */
  share: number;
  box: number[];
}

/**
 * Compares a picture of a page with the committed one. `UPDATE_PICTURES=1` writes it instead. The new picture of a
 * difference lies beside the committed one, as `.new.png`.
 */
export async function expectPicture(page: Page, file: string): Promise<void> {
  await page.evaluate('document.fonts.ready');
  const shot = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  if (process.env.UPDATE_PICTURES) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, shot);
    return;
  }
  if (!existsSync(file)) throw new Error(`there is no picture ${file}; UPDATE_PICTURES=1 writes it`);
  const difference = await differenceOf(page, [readFileSync(file), shot]);
  if (difference.share <= MAX_DIFFERENT_SHARE) return;
  writeFileSync(file.replace(/\.png$/, '.new.png'), shot);
  throw new Error(`${file} differs: ${JSON.stringify(difference)}`);
}

/** The browser decodes both pictures and compares their pixels. */
async function differenceOf(page: Page, pictures: Buffer[]): Promise<Difference> {
  const beside = await page.context().browser()!.newPage();
  try {
    return await beside.evaluate(
      async ([urls, most]) => {
        const images = await Promise.all(
          urls.map(async (url) => {
            const image = new Image();
            image.src = url;
            await image.decode();
            return image;
          }),
        );
        const sizes = images.map(({ width, height }): [number, number] => [width, height]);
        const [[width, height]] = sizes as [[number, number]];
        if (sizes.some((size) => size.join() !== sizes[0]!.join())) return { sizes, share: 1, box: [] };
        const [one, other] = images.map((image) => {
          const context = new OffscreenCanvas(width, height).getContext('2d')!;
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, width, height).data;
        }) as [Uint8ClampedArray, Uint8ClampedArray];
        let different = 0;
        const box = [width, height, 0, 0];
        for (let pixel = 0; pixel < width * height; pixel++) {
          const isAlike = [0, 1, 2].every(
            (channel) => Math.abs(one[4 * pixel + channel]! - other[4 * pixel + channel]!) <= most,
          );
          if (isAlike) continue;
          different++;
          const [x, y] = [pixel % width, Math.floor(pixel / width)];
          box.splice(
            0,
            4,
            Math.min(box[0]!, x),
            Math.min(box[1]!, y),
            Math.max(box[2]!, x),
            Math.max(box[3]!, y),
          );
        }
        return { sizes, share: different / (width * height), box };
      },
      [
        pictures.map((picture) => `data:image/png;base64,${picture.toString('base64')}`),
        MAX_CHANNEL_DIFFERENCE,
      ] as const,
    );
  } finally {
    await beside.context().close();
  }
}
