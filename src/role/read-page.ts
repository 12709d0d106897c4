// The built page as it lies in a folder, read once.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { PageFile, PageFiles } from "#http/page/page-files.ts";
import type { Troubles } from "#service/troubles.ts";

/** Where `npm run build` puts it. */
const PAGE_FOLDER = fileURLToPath(new URL("../../web/dist", import.meta.url));

export const PAGE_BYTES = 32 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  txt: "text/plain; charset=utf-8",
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  woff2: "font/woff2",
};

interface Page {
  /** Undefined when there is none. */
  readonly files: PageFiles | undefined;
  readonly bytes: number;
}

/** A page that cannot be read is reported, and the rest serves. */
export function readPage(troubles: Pick<Troubles, "report">, folder = PAGE_FOLDER): Page {
  const read = new Map<string, Buffer>();
  let bytes = 0;
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.startsWith(".")) continue;
      const file = join(entry.parentPath, entry.name);
      const content = readFileSync(file);
      bytes += content.length;
      if (bytes > PAGE_BYTES) throw new Error(`the page has more than ${PAGE_BYTES} bytes`);
      read.set(file.slice(folder.length).replaceAll(sep, "/"), content);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { files: undefined, bytes: 0 };
    troubles.report({ part: "page", message: "the web page cannot be read; build it anew" }, { err: error, folder });
    return { files: undefined, bytes: 0 };
  }
  const files = new Map<string, PageFile>();
  for (const [path, content] of read) {
    const type = TYPES[path.split(".").at(-1) ?? ""];
    if (type === undefined) continue;
    const hash = createHash("sha256").update(content).digest("base64url").slice(0, 22);
    files.set(path, { type, hash, content, br: read.get(`${path}.br`), gzip: read.get(`${path}.gz`) });
  }
  return { files: files.has("/index.html") ? files : undefined, bytes };
}
