/** A region of a page: by the theme's template, or else as the site draws it. */
import type { VNode } from 'preact';
import type { Frame } from './frame.ts';
import { type Markup, ownHtml } from './markup.ts';
import type { REGIONS, RegionName, Values } from './theme-templates.ts';
import { useTexts } from './use-texts.ts';

type Part = () => VNode | readonly VNode[] | Markup | null | undefined | false;

interface RegionProps<N extends RegionName> {
  readonly frame: Frame;
  readonly name: N;
  /** Called if the template places them. */
  readonly parts: Readonly<Record<(typeof REGIONS)[N][number], Part>>;
  /** Values for the template, besides those of the frame. Called if there is a template. */
  readonly values?: () => Values;
  /** The region without a template. */
  readonly fallback: () => VNode;
}

export function Region<N extends RegionName>({ frame, name, parts, values, fallback }: RegionProps<N>) {
  const texts = useTexts();
  const { templates, siteTitle, siteUrl, viewer } = frame;
  const template = templates[`${name}.${texts.locale}`] ?? templates[name];
  if (template === undefined) return fallback();
  const who = viewer && { name: viewer.name, title: viewer.displayName };
  const common = { site: { title: siteTitle, url: siteUrl }, viewer: who, language: texts.locale };
  const pieces = template.render(texts, { ...common, ...values?.() });
  if (pieces === null) return fallback();
  return ownHtml(
    pieces.texts,
    pieces.parts.map((part) => (parts as Readonly<Record<string, Part>>)[part]!()),
  );
}
