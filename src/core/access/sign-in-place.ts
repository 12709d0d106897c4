/** Places of one person that are remembered. One more forgets the one that was used least recently. */
export const MAX_PLACES = 50;

/** A place that was not used for so long is new again. */
export const PLACE_LIFETIME_MS = 180 * 86_400_000;
