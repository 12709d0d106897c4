import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GuideNeeds } from "#http/guide/guide-routes.ts";

/** Written by scripts/build-guide.ts. In a checkout and in a package it lies beside the code. */
const PAGES = fileURLToPath(new URL("../../docs/dist", import.meta.url));
/** No name leads out of the folder, or is too long for a file. */
const NAME = /^(?=.{1,100}$)[A-Za-z0-9][\w-]*(?:\.[\w-]+)*$/;

/** Read when it is asked for: few people read it, and then seldom. */
export const readGuide: GuideNeeds["guide"] = (name) => {
  if (name !== undefined && !NAME.test(name)) return undefined;
  try {
    return readFileSync(join(PAGES, name === undefined ? "guide.html" : `guide/${name}.html`), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
};
