/** A tree of JSON, in elements that open without a script. */
import type { Texts } from '../texts.ts';
import { useTexts } from '../use-texts.ts';

/** Bounds of the tree: parts, levels, and characters of a text. */
const MAX_PARTS = 600;
const MAX_DEPTH = 12;
const MAX_CHARACTERS = 300;
/** Levels that are open at first. */
const OPEN = 2;

interface Budget {
  parts: number;
}

export function JsonPreview({ value }: { value: unknown }) {
  const budget: Budget = { parts: MAX_PARTS };
  return <div class="preview tree">{partOf(value, null, 0, budget, useTexts().t)}</div>;
}

/** A function rather than a component, so that parts are counted in their order. */
function partOf(value: unknown, name: string | null, depth: number, budget: Budget, t: Texts['t']) {
  budget.parts -= 1;
  const label = name !== null && <span class="name">{cut(name)}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div>
        {label}
        <code>{cut(JSON.stringify(value))}</code>
      </div>
    );
  const entries = Array.isArray(value) ? value.map((item, at) => [String(at), item] as const) : Object.entries(value);
  const words = t(Array.isArray(value) ? 'preview.listOf' : 'preview.objectOf', { count: entries.length });
  if (entries.length === 0 || depth >= MAX_DEPTH)
    return (
      <div>
        {label}
        <span class="hint">{words}</span>
      </div>
    );
  const shown = [];
  for (const [key, item] of entries) {
    if (budget.parts <= 0) break;
    shown.push(partOf(item, key, depth + 1, budget, t));
  }
  return (
    <details open={depth < OPEN && entries.length <= 50}>
      <summary>
        {label}
        <span class="hint">{words}</span>
      </summary>
      {shown}
      {shown.length < entries.length && (
        <p class="hint">{t('preview.moreParts', { count: entries.length - shown.length })}</p>
      )}
    </details>
  );
}

const cut = (text: string): string => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);
