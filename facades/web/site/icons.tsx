/** Icons: line drawings of 24 × 24 units in the colour of the text. Decorative, so screen readers skip them. */
import { elementOf, html, type Markup } from './markup.ts';

const PATHS = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5.2 12.2L21 21',
  dataset:
    'M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3zm0 0v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3',
  organization: 'M4 21V8l8-5 8 5v13M2 21h20M9 21v-5h6v5M8 11h.01M12 11h.01M16 11h.01',
  group: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  tag: 'M3 12V4a1 1 0 0 1 1-1h8l9 9-9 9zM7.5 7.5h.01',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 4v5l3 2',
  file: 'M6 3h8l5 5v13H6zM14 3v5h5',
  table: 'M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14',
  tree: 'M9 4c-2 0-2 2-2 3.5S7 11 5 12c2 1 2 3 2 4.5S7 20 9 20M15 4c2 0 2 2 2 3.5S17 11 19 12c-2 1-2 3-2 4.5S17 20 15 20',
  map: 'M3 6l6-2 6 2 6-2v14l-6 2-6-2-6 2zM9 4v14M15 6v14',
  text: 'M6 3h8l5 5v13H6zM14 3v5h5M9 13h6M9 17h6',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M9 9h.01',
  archive: 'M4 5h16v4H4zM5 9v10h14V9M10 13h4',
  service: 'M7 12a5 5 0 0 0 10 0V8H7zM9.5 8V4M14.5 8V4M12 17v4',
  commons: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM10.8 10.4a2 2 0 1 0 0 3.2M16.3 10.4a2 2 0 1 0 0 3.2',
  free: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5c-2 0-2.8 2-2.8 4.5s.8 4.5 2.8 4.5 2.8-2 2.8-4.5-.8-4.5-2.8-4.5z',
  license: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm2.5 6.6a3.5 3.5 0 1 0 0 4.8',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  globe: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18',
  menu: 'M4 6h16M4 12h16M4 18h16',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-4.4 3.6-7 8-7s8 2.6 8 7',
  close: 'M6 6l12 12M18 6L6 18',
} as const;

export type IconName = keyof typeof PATHS;

const ICONS = new Map(
  Object.entries(PATHS).map(([name, path]) => [
    name,
    html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${path}"></path></svg>`,
  ]),
);

export const iconOf = (name: IconName): Markup => ICONS.get(name)!;

export const Icon = ({ name }: { name: IconName }) => elementOf(iconOf(name));
