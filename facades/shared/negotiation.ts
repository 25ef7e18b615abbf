/** What a client likes best of what is offered: the headers Accept and Accept-Encoding, with their weights. */

interface Wish {
  readonly name: string;
  readonly weight: number;
}

/**
 * The media type to answer in; without the header the first of those offered, null when the client takes none of them.
 * Of types that are liked alike, the one that was named (not meant by `*`) and named first.
 */
export function preferredType<Type extends string>(accept: string | undefined, offered: readonly Type[]): Type | null {
  if (accept === undefined || accept.trim() === '') return offered[0] ?? null;
  return best(wishesOf(accept), offered, (wish, type) => {
    if (wish === type) return 2;
    return wish.endsWith('/*') && type.startsWith(wish.slice(0, -1)) ? 1 : wish === '*/*' ? 0 : -1;
  });
}

/** The encoding to send a body in; null for the body as it is. */
export function preferredEncoding<Encoding extends string>(
  header: string | string[] | undefined,
  offered: readonly Encoding[],
): Encoding | null {
  if (header === undefined) return null;
  const wishes = wishesOf(String(header));
  // Who writes `gzip, br` means no order by it: ours decides.
  return best(wishes, offered, (wish, encoding) => (wish === encoding ? 1 : wish === '*' ? 0 : -1), false);
}

/** `closenessOf`: how closely a wish names an offer, negative where it does not; the closest wish decides about an offer. */
function best<Offer extends string>(
  wishes: readonly Wish[],
  offered: readonly Offer[],
  closenessOf: (wish: string, offer: Offer) => number,
  inTheirOrder = true,
): Offer | null {
  const rated = offered.flatMap((offer) => {
    let closest = -1;
    let place = -1;
    wishes.forEach(({ name }, index) => {
      const closeness = closenessOf(name, offer);
      if (closeness <= closest) return;
      closest = closeness;
      place = index;
    });
    const weight = wishes[place]?.weight ?? 0;
    return weight > 0 ? [{ offer, weight, closest, place }] : [];
  });
  rated.sort((a, b) => b.weight - a.weight || (inTheirOrder ? b.closest - a.closest || a.place - b.place : 0));
  return rated[0]?.offer ?? null;
}

/** Other parameters than the weight are not looked at. */
function wishesOf(header: string): Wish[] {
  return header.split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';');
    const weight = parameters.map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(text)?.[1]).find((found) => found);
    return { name: name.trim().toLowerCase(), weight: weight === undefined ? 1 : Number(weight) || 0 };
  });
}
