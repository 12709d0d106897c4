import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { buildGuide } from "../../scripts/build-guide.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();
beforeAll(() => buildGuide());

const PAGES = globSync("docs/{guide,.,decisions}/*.md").map((path) => basename(path, ".md"));

test("the guide is served without a token, under the strictest policy", async () => {
  const { status, headers, text } = await busbar.anonymous.get("/docs/guide");
  expect(status).toBe(200);
  expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(text).toContain('<a href="guide/concepts">');
  expect(text).not.toMatch(/<script|href="https?:\/\/(?!127)|src="http/);
});

test("every page of the documentation is served, and every link between pages leads to one", async () => {
  expect(PAGES.length).toBeGreaterThan(40);
  const broken: string[] = [];
  for (const page of PAGES) {
    const { status, text } = await busbar.anonymous.get(`/docs/guide/${page}`);
    if (status !== 200) broken.push(page);
    for (const [, target = ""] of text.matchAll(/href="([^":#]+)(?:#[^"]*)?"/g)) {
      if (!target.startsWith("..") && !PAGES.includes(target)) broken.push(`${page} -> ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test("a page that is no longer in the docs goes when the guide is built", () => {
  const folder = mkdtempSync(join(tmpdir(), "busbar-guide-"));
  mkdirSync(join(folder, "guide"));
  writeFileSync(join(folder, "guide", "old.html"), "");
  buildGuide(folder);
  const pages = readdirSync(join(folder, "guide")).map((file) => basename(file, ".html"));
  const files = readdirSync(folder).sort();
  rmSync(folder, { recursive: true });
  expect(pages.sort()).toEqual([...new Set(PAGES)].sort());
  expect(files).toEqual(["guide", "guide.html"]);
});

test("the picture of the concepts is inside of the page", async () => {
  const { text } = await busbar.anonymous.get("/docs/guide/concepts");
  expect(text).toMatch(/<img src="data:image\/svg\+xml;base64,[\w+/=]{1000,}" alt="Devices/);
});

test.each(["nothing", "..%2F..%2Fpackage", ".hidden", "a%00b", "%2Fetc%2Fpasswd"])(
  "there is no page %s",
  async (name) => {
    expect((await busbar.anonymous.get(`/docs/guide/${name}`)).status).toBe(404);
  },
);

test("a page of the guide is the Markdown of the repository", async () => {
  const [title = ""] = readFileSync("docs/guide/faq.md", "utf8").split("\n");
  expect((await busbar.anonymous.get("/docs/guide/faq")).text).toContain(`>${title.replace("# ", "")}</h1>`);
});
