/**
 * The path inside a package that a manifest refers to: `./src//main.lua` is `src/main.lua`. Undefined when it leads
 * outside.
 */
export function packagePath(text: string): string | undefined {
  if (/^\/|^[A-Za-z]:|[\\\0]/.test(text)) return undefined;
  const parts: string[] = [];
  for (const part of text.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join("/");
}
