/** The icon of the site in the forms that browsers ask for: SVG, PNG, and ICO. Drawn here, so that the project has no binary files. */
import { crc32, deflateSync } from 'node:zlib';
import { hashOf } from '../../shared/packed.ts';

/** Colours and shape in units of a square of 32: a rounded square with three bars. */
const PAPER = [12, 47, 69] as const;
const INK = [255, 255, 255] as const;
const SHAPES = [
  { x: 0, y: 0, width: 32, height: 32, radius: 7, colour: PAPER },
  { x: 6, y: 17, width: 5, height: 9, radius: 1.5, colour: INK },
  { x: 13.5, y: 11, width: 5, height: 15, radius: 1.5, colour: INK },
  { x: 21, y: 6, width: 5, height: 20, radius: 1.5, colour: INK },
] as const;
const UNITS = 32;

type Shape = (typeof SHAPES)[number];

export const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${SHAPES.map(
  ({ x, y, width, height, radius, colour }) =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="rgb(${colour.join(',')})"/>`,
).join('')}</svg>`;

/** Paths of the icons, with a hash of their picture. */
export const ICONS = { svg: `/static/site/icon-${hashOf(SVG)}.svg`, touch: `/static/site/icon-${hashOf(SVG)}.png` };

function isInside({ x, y, width, height, radius }: Shape, px: number, py: number): boolean {
  if (px < x || py < y || px > x + width || py > y + height) return false;
  const dx = px - Math.min(Math.max(px, x + radius), x + width - radius);
  const dy = py - Math.min(Math.max(py, y + radius), y + height - radius);
  return dx * dx + dy * dy <= radius * radius;
}

/** Samples of a pixel in each direction, for smooth edges. */
const SAMPLES = 4;

/** Red, green, blue and opacity of a pixel of a picture of `size` pixels. */
function pixel(size: number, column: number, row: number): number[] {
  const sum = [0, 0, 0, 0];
  for (let n = 0; n < SAMPLES * SAMPLES; n++) {
    const px = ((column + ((n % SAMPLES) + 0.5) / SAMPLES) * UNITS) / size;
    const py = ((row + (Math.floor(n / SAMPLES) + 0.5) / SAMPLES) * UNITS) / size;
    const shape = SHAPES.findLast((one) => isInside(one, px, py));
    if (!shape) continue;
    for (const [channel, value] of shape.colour.entries()) sum[channel]! += value;
    sum[3]! += 1;
  }
  const covered = sum[3]!;
  return covered === 0
    ? [0, 0, 0, 0]
    : [...sum.slice(0, 3).map((value) => Math.round(value / covered)), Math.round((255 * covered) / SAMPLES ** 2)];
}

/** A square PNG with an alpha channel. */
export function png(size: number): Buffer {
  const rows = Array.from({ length: size }, (_row, row) => [
    0, // no filter
    ...Array.from({ length: size }, (_column, column) => pixel(size, column, row)).flat(),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6], 8); // 8 bits for each of red, green, blue and opacity
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** An ICO file with one PNG of 32 pixels. */
export function ico(): Buffer {
  const picture = png(32);
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2); // an icon
  head.writeUInt16LE(1, 4); // one picture
  head.set([32, 32], 6);
  head.writeUInt16LE(1, 10); // one plane
  head.writeUInt16LE(32, 12); // bits of a pixel
  head.writeUInt32LE(picture.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, picture]);
}
