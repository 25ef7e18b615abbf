/** The step one at a time; asked for while it runs, it runs once more after that. */
export function inTurn(step: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = () => (current = step().finally(() => (current = null)));
  return () => {
    if (!current) return begin();
    return (next ??= current
      .catch(() => {})
      .then(() => {
        next = null;
        return begin();
      }));
  };
}
