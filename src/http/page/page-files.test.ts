import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { readPage } from "#role/read-page.ts";
import { openBareServer, quick } from "../../../test/support/bare-server.ts";
import { parseRaw, sendRaw } from "../../../test/support/raw-http.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";

const SCRIPT = "console.log('hello');\n".repeat(100);
const INDEX = "<!doctype html><title>Busbar</title>";

function buildFolder(): string {
  const folder = join(tempFolder(), "dist");
  mkdirSync(join(folder, "assets"), { recursive: true });
  const write = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
  write("index.html", INDEX);
  write(".stamp", "secret");
  write("assets/index-Abc.js", SCRIPT);
  write("assets/index-Abc.js.br", brotliCompressSync(SCRIPT));
  write("assets/index-Abc.js.gz", gzipSync(SCRIPT));
  write("assets/font-Abc.woff2", new Uint8Array([1, 2, 3]));
  write("assets/notes.unknown", "of no known type");
  write("../outside.js", "outside");
  return folder;
}

let port: number;
beforeEach(async () => {
  const { files: pageFiles } = readPage({ report: () => expect.unreachable() }, buildFolder());
  ({ port } = await openBareServer([quick, { ...quick, path: "/", name: "root" }], { pageFiles }));
});

async function ask(path: string, headers = "", method = "GET") {
  const request = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;
  return parseRaw(await sendRaw(port, request));
}

test.each(["/", "/sites/1", "/sign-in", "/devices/a?b=c", "/index.html", "/favicon.ico", "//", "/vv3"])(
  "%s is the page, with a policy that lets only its own files run, and is checked again at each visit",
  async (path) => {
    const { status, text, headers } = await ask(path);
    expect([status, text]).toEqual([200, INDEX]);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("etag")).toMatch(/^"[\w-]{22}-identity"$/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  },
);

test("a script may be a worker and has the policy of the page; a font has the one of data", async () => {
  const policyOf = async (path: string) => (await ask(path)).headers.get("content-security-policy") ?? "";
  expect(await policyOf("/assets/index-Abc.js")).toBe(await policyOf("/"));
  expect(await policyOf("/assets/font-Abc.woff2")).toBe("default-src 'none'; frame-ancestors 'none'");
});

test.each([
  "/v3/unknown",
  "/v3",
  "/api/x",
  "/telemetry/v2",
  "/docs/x",
  "/schemas/none",
  "/assets/none.js",
  "/assets/",
  "/assets/notes.unknown",
  "/assets/..%2findex.html",
  "/assets/../../outside.js",
  "/assets/%2e%2e/.stamp",
])("%s is not: a program gets its refusal as JSON", async (path) => {
  const { status, text, headers } = await ask(path);
  expect([status, headers.get("content-type")]).toEqual([404, "application/json"]);
  expect(JSON.parse(text).errors[0].code).toBe("route_not_found");
});

test("files beside the page are never served, whatever the path says", async () => {
  for (const path of ["/.stamp", "/../outside.js", "/%2e%2e/outside.js", "/..%2foutside.js", "/assets/./../.stamp"]) {
    const { text } = await ask(path);
    expect(text).not.toMatch(/secret|outside\b(?!\.js)/);
  }
});

test("an operation is served as ever, and other methods do not get the page", async () => {
  expect((await ask("/quick")).text).toBe('{"quick":true}');
  for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
    expect((await ask("/sites/1", "Content-Length: 0\r\n", method)).status).toBe(404);
  }
});

test("a file with a hash in its name is kept for ever", async () => {
  const { headers, text } = await ask("/assets/index-Abc.js");
  expect(text).toBe(SCRIPT);
  expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect((await ask("/assets/font-Abc.woff2")).headers.get("content-type")).toBe("font/woff2");
});

describe.each([
  ["gzip, deflate, br, zstd", "br"],
  ["br;q=0, gzip", "gzip"],
  ["br; q=0.000, GZIP;q=0.5", "gzip"],
  ["deflate", null],
  ["", null],
  ["*", null],
])("a client that accepts %j", (accepted, encoding) => {
  test(`gets ${encoding ?? "the plain file"}, and its own tag`, async () => {
    const response = await fetch(`http://127.0.0.1:${port}/assets/index-Abc.js`, {
      headers: { "Accept-Encoding": accepted },
    });
    expect(response.headers.get("content-encoding")).toBe(encoding);
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
    expect(response.headers.get("etag")).toContain(encoding ?? "identity");
    expect(await response.text()).toBe(SCRIPT);
  });
});

test("the compressed files are those of the build", () => {
  const { files } = readPage({ report: () => {} }, buildFolder());
  const file = files?.get("/assets/index-Abc.js");
  expect(brotliDecompressSync(file?.br ?? "").toString()).toBe(SCRIPT);
  expect(gunzipSync(file?.gzip ?? "").toString()).toBe(SCRIPT);
});

test("a browser that has the page gets 304 and no content", async () => {
  const tag = (await ask("/")).headers.get("etag");
  for (const known of [tag, `W/${tag}`, `"x", ${tag}`]) {
    const { status, text, headers } = await ask("/sites/2", `If-None-Match: ${known}\r\n`);
    expect([status, text, headers.get("etag")]).toEqual([304, "", tag]);
  }
  expect((await ask("/", 'If-None-Match: "x"\r\n')).status).toBe(200);
});

test("HEAD gives the headers of GET and no content", async () => {
  const [get, head] = [await ask("/assets/index-Abc.js"), await ask("/assets/index-Abc.js", "", "HEAD")];
  expect([head.status, head.text]).toEqual([200, ""]);
  for (const name of ["content-length", "etag", "content-type", "cache-control"]) {
    expect(head.headers.get(name)).toBe(get.headers.get(name));
  }
});

test("without a build there is no page, and one that cannot be read is reported", () => {
  expect(readPage({ report: () => expect.unreachable() }, join(tempFolder(), "none")).files).toBeUndefined();
  const folder = tempFolder();
  writeFileSync(join(folder, "large.js"), "");
  expect(readPage({ report: () => expect.unreachable() }, folder).files).toBeUndefined();
  const reported: string[] = [];
  const file = join(folder, "large.js");
  expect(readPage({ report: ({ part }) => void reported.push(part) }, file).files).toBeUndefined();
  expect(reported).toEqual(["page"]);
});
