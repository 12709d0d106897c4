import type { Plugin } from "vite";

/** The font of nearly all text. */
const FONT = /ibm-plex-sans-latin-wght-normal-[^/]+\.woff2$/;

/** The font is asked for with the scripts, not when the first text is laid out: that text would be laid out twice. */
export function preloadFont(): Plugin {
  return {
    name: "busbar-preload-font",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const name = Object.keys(bundle ?? {}).find((file) => FONT.test(file));
        if (name === undefined) throw new Error("the build has no font for the page");
        const attrs = { rel: "preload", as: "font", type: "font/woff2", href: `/${name}`, crossorigin: true };
        return [{ tag: "link", attrs, injectTo: "head" }];
      },
    },
  };
}
