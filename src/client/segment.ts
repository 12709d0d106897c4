/** An id as part of an address. Ids that an address would swallow are refused: `/v3/sites/..` is not below `/v3/sites`. */
export function segment(id: string): string {
  if (id === "" || id === "." || id === "..") throw new RangeError(`"${id}" is not an id`);
  return encodeURIComponent(id);
}
