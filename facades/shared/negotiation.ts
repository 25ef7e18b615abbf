/** Content negotiation: Accept and Accept-Encoding headers with weights. */

/** Parameters of media types, and weights that are no numbers. Negotiator would refuse `application/json; charset=utf-8`. */
const OTHER_PARAMETERS = /;(?!\s*q\s*=\s*[\d.])(?:"[^"]*"?|[^",;])*/gi;

/**
 * The response's media type: the first offered one without a header, null when none is acceptable. Of equal weights, a type named
 * explicitly (without `*`) and earlier wins.
 */
export function preferredType<Type extends string>(accept: string | undefined, offered: readonly Type[]): Type | null {
  const types = accept?.trim() ? accept.replace(OTHER_PARAMETERS, '') : '*/*';
  return (new Negotiator({ headers: { accept: types } }).mediaType(offered) as Type | undefined) ?? null;
}

/** Encoding of the body; null for none. */
export function preferredEncoding<Encoding extends string>(
  header: string | string[] | undefined,
  offered: readonly Encoding[],
): Encoding | null {
  if (header === undefined) return null;
  const wishes = wishesOf(String(header));
  // `gzip, br` expresses no preference by order, so the server's order decides.
  return best(wishes, offered, (wish, encoding) => (wish === encoding ? 1 : wish === '*' ? 0 : -1), false);
}

/** `closenessOf`: how closely a range matches an offer, negative for no match; the closest range determines the weight. */
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

/** Ignores parameters other than the weight. */
function wishesOf(header: string): Wish[] {
  return header.split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';');
    const weight = parameters.map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(text)?.[1]).find((found) => found);
    return { name: name.trim().toLowerCase(), weight: weight === undefined ? 1 : Number(weight) || 0 };
  });
}
