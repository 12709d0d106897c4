import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GuideSource } from "#http/guide/guide-page.ts";

/** In a checkout and in a package it lies beside the code. */
const DOCS = fileURLToPath(new URL("../../docs", import.meta.url));
/** A name is searched in this order. */
const FOLDERS = ["guide", ".", "decisions"];
/** No name leads out of the folders, or is too long for a file. */
const NAME = /^(?=.{1,100}$)[A-Za-z0-9][\w-]*(?:\.[\w-]+)*$/;

/** Read when it is asked for: few people read it, and then seldom. */
export function readGuide(folder = DOCS): GuideSource {
  return {
    page: (name) => (NAME.test(name) ? firstOf(FOLDERS.map((one) => join(folder, one, `${name}.md`))) : undefined),
    picture: (name) => {
      const svg = NAME.test(name) && name.endsWith(".svg") ? firstOf([join(folder, "img", name)]) : undefined;
      return svg && `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
    },
  };
}

function firstOf(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  return undefined;
}
