import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** What a browser loads before the first screen shows something: at most this many bytes of script and style. */
const LIMIT = 150_000;

/** Prints the gzip size of the first load, and fails the build when it is too large. */
export function reportSize(): Plugin {
  return {
    name: "busbar-size",
    apply: "build",
    writeBundle(_options, bundle) {
      const wanted = Object.values(bundle).filter((file) => file.type === "chunk" && file.isEntry);
      const scripts = new Set<string>();
      const visit = (name: string): void => {
        const chunk = bundle[name];
        if (chunk?.type !== "chunk" || scripts.has(name)) return;
        scripts.add(name);
        for (const other of chunk.imports) visit(other);
      };
      for (const chunk of wanted) visit(chunk.fileName);
      const styles = new Set(
        [...scripts].flatMap((name) => {
          const chunk = bundle[name];
          return chunk?.type === "chunk" ? [...(chunk.viteMetadata?.importedCss ?? [])] : [];
        }),
      );
      const size = (name: string) => {
        const file = bundle[name];
        return file === undefined ? 0 : gzipSync(file.type === "chunk" ? file.code : file.source).length;
      };
      const total = (list: Iterable<string>) => [...list].reduce((sum, name) => sum + size(name), 0);
      const [script, style] = [total(scripts), total(styles)];
      const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
      console.log(
        `first load: ${kB(script)} of script and ${kB(style)} of style (gzip), at most ${kB(LIMIT)} together`,
      );
      if (script + style > LIMIT) this.error(`the first load has ${kB(script + style)}, more than ${kB(LIMIT)}`);
    },
  };
}
