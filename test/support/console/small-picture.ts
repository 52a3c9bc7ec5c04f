import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

/** Pictures of pages with 256 colours, as are enough for text on plain ground: a third of the bytes. */

type Indexed = { palette: number[]; pixels: Buffer };

const COLORS = 256;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** For the page: the red, green, blue and alpha of each pixel of a PNG, in base64; the browser can read its own. */
const pixelsOf = (png: string): string => `(async () => {
  const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob('${png}'), (each) => each.codePointAt(0))]));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const reader = new FileReader();
  reader.readAsDataURL(new Blob([data]));
  await new Promise((resolve) => reader.addEventListener('load', resolve));
  return reader.result.replace(/^.*,/, '');
})()`;

/** Colours that stand for all of a picture, and for each pixel the nearest of them. */
function indexed(data: Buffer): Indexed {
  const colors = new Uint32Array(data.length / 4);
  const counts = new Map<number, number>();
  for (let at = 0; at < colors.length; at += 1) {
    const [red = 0, green = 0, blue = 0] = data.subarray(at * 4, at * 4 + 3);
    const color = red * 65_536 + green * 256 + blue;
    colors[at] = color;
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const all = [...counts].toSorted(([, one], [, other]) => other - one).map(([color]) => color);
  const parts = (color: number) => [Math.floor(color / 65_536), Math.floor(color / 256) % 256, color % 256];
  const apart = (one: number, other: number) => {
    const others = parts(other);
    return parts(one).reduce((sum, part, index) => sum + (part - (others[index] ?? 0)) ** 2, 0);
  };
  const palette: number[] = [];
  const nearest = new Map(all.map((color) => [color, { index: 0, distance: Number.POSITIVE_INFINITY }]));
  while (palette.length < Math.min(COLORS, all.length)) {
    const farthest = () =>
      all.reduce((one, other) =>
        (nearest.get(other)?.distance ?? 0) > (nearest.get(one)?.distance ?? 0) ? other : one,
      );
    // Half for what is there most, half for what would else look most unlike itself, as a small icon.
    const added = palette.length < COLORS / 2 ? all[palette.length] : farthest();
    const index = palette.push(added ?? 0) - 1;
    for (const [color, best] of nearest) {
      const distance = apart(color, added ?? 0);
      if (distance < best.distance) Object.assign(best, { index, distance });
    }
  }
  return {
    palette: palette.flatMap(parts),
    pixels: Buffer.from(Array.from(colors, (color) => nearest.get(color)?.index ?? 0)),
  };
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** What the page shows, as a PNG. */
export async function smallPicture(page: Page): Promise<Buffer> {
  const png = await page.screenshot({ caret: 'hide' });
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const data = await page.evaluate<string>(pixelsOf(png.toString('base64')));
  const { palette, pixels } = indexed(Buffer.from(data, 'base64'));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits a pixel, each an index into the palette.
  header.set([8, 3], 8);
  // Each row begins with how it is filtered: not at all.
  const rows = Array.from({ length: height }, (_, row) =>
    Buffer.concat([Buffer.alloc(1), pixels.subarray(row * width, (row + 1) * width)]),
  );
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
