/** Name or password from a URL. Invalid escapes are kept as they are. */
export function unescapeLogin(part: string): string {
  return part.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll("%", ""), "hex").toString("utf8"),
  );
}
