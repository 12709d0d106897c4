// The built page, served from memory: a few small files that never change while the program runs. A path is looked up in
// a table, so no request can name a file outside of it.
import type { FastifyReply, FastifyRequest } from "fastify";

export interface PageFile {
  readonly type: string;
  /** Of the content; each encoding has an own tag made from it. */
  readonly hash: string;
  readonly content: Buffer;
  /** Compressed when the page was built, where that made it smaller. */
  readonly br: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

/** By path, such as /index.html. Files under /assets/ have a hash of their content in their name. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The first parts of paths that belong to the interface. All others are screens of the page. */
const INTERFACE = new Set([
  ...["v3", "api", "telemetry", "docs", "openapi.json", "schemas", "healthz", "readyz", "metrics", "assets"],
]);

const FILE_HEADERS: Readonly<Record<string, string>> = {
  "cross-origin-resource-policy": "same-origin",
  vary: "Accept-Encoding",
};

/** Only what this server sends runs, and the page talks to nobody else. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...FILE_HEADERS,
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
    "worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
};

/**
 * Only documents and workers, which are scripts, act by a policy of their own. Dozens of styles, fonts and icons go with the short
 * one that data has: a first visit takes 4 kB less.
 */
const HAS_POLICY = /^text\/(?:html|javascript)/;

const IMMUTABLE = "public, max-age=31536000, immutable";

/** Answers the request with a file of the page or with the page itself. False when the path belongs to the interface. */
export function sendPage(files: PageFiles, request: FastifyRequest, reply: FastifyReply): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const path = request.url.split("?", 1)[0] ?? "";
  const isOfInterface = INTERFACE.has(path.split("/", 2)[1] ?? "");
  const file = files.get(path) ?? (isOfInterface ? undefined : files.get("/index.html"));
  if (file === undefined) return false;
  const { name, content } = encoded(file, request.headers["accept-encoding"] ?? "");
  const tag = `"${file.hash}-${name}"`;
  const isImmutable = path.startsWith("/assets/");
  reply
    .headers(HAS_POLICY.test(file.type) ? PAGE_HEADERS : FILE_HEADERS)
    .header("cache-control", isImmutable ? IMMUTABLE : "no-cache")
    .header("etag", tag);
  if (isKnown(request.headers["if-none-match"], tag)) {
    reply.code(304).send();
    return true;
  }
  if (name !== "identity") reply.header("content-encoding", name);
  reply.code(200).header("content-type", file.type).send(content);
  return true;
}

function encoded(file: PageFile, accepted: string): { readonly name: string; readonly content: Buffer } {
  const names = accepted
    .split(",")
    .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
    .map((one) => one.split(";", 1)[0]?.trim().toLowerCase());
  if (file.br !== undefined && names.includes("br")) return { name: "br", content: file.br };
  if (file.gzip !== undefined && names.includes("gzip")) return { name: "gzip", content: file.gzip };
  return { name: "identity", content: file.content };
}

/** A proxy may have made the tag a weak one. */
function isKnown(header: string | undefined, tag: string): boolean {
  return header?.split(",").some((one) => one.trim().replace(/^W\//, "") === tag) === true;
}
