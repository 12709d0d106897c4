/** Name or password as a URL carries it. What is no valid escape stands for itself. */
export function unescapeLogin(part: string): string {
  return part.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll("%", ""), "hex").toString("utf8"),
  );
}
