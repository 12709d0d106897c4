const SLUG = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MAX_LENGTH = 64;

export const SLUG_RULE =
  "a slug has 1 to 64 letters, digits, - or _, starts and ends with a letter or digit, and does not look like an id";

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function isSlug(text: string): boolean {
  return SLUG.test(text) && !isUuid(text);
}

/** A slug made from a name: `Roof inverter` gives `roof-inverter`, the second one `roof-inverter-2`. */
export function slugOf(name: string, ordinal = 1): string {
  const suffix = ordinal === 1 ? "" : `-${ordinal}`;
  const base = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_LENGTH - suffix.length)
    .replace(/-+$/, "");
  const slug = (base || "device") + suffix;
  return isSlug(slug) ? slug : `device-${slug}`.slice(0, MAX_LENGTH).replace(/-+$/, "");
}

/** The name of a device as the records hold it: ids are in lower case, and slugs as they are. */
export function deviceName(idOrSlug: string): string {
  return isUuid(idOrSlug) ? idOrSlug.toLowerCase() : idOrSlug;
}
