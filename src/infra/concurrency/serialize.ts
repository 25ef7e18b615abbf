/** Runs `step` one at a time. Calls during a run share one further run. */
export function serialize(step: () => Promise<void>): () => Promise<void> {
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
